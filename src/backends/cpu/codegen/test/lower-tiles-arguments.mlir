// RUN: triton-opt --triton-cpu-lower-tiles --split-input-file --verify-diagnostics %s

// What no launch can pass.
// expected-error @below {{not supported on cpu: a kernel argument of type 'tensor<16xi32>'}}
tt.func public @tensor(%x: tensor<16xi32>) {
  tt.return
}

// -----

// expected-error @below {{not supported on cpu: a kernel argument of type 'i128'}}
tt.func public @wide(%x: i128) {
  tt.return
}

// -----

// Inlining would not end.
// expected-error @below {{not supported on cpu: functions that call themselves}}
tt.func public @recursive() {
  tt.call @first() : () -> ()
  tt.return
}
tt.func private @first() {
  tt.call @second() : () -> ()
  tt.return
}
tt.func private @second() {
  tt.call @first() : () -> ()
  tt.return
}

// -----

// A function that is called twice does not call itself.
tt.func public @twice() {
  tt.call @leaf() : () -> ()
  tt.call @leaf() : () -> ()
  tt.return
}
tt.func private @leaf() {
  tt.return
}
