"""What sessions do at the launches and loads of kernels."""

from ... import knobs


class Hook:
    """A class of hooks defines some of these. Those of higher ``priority`` are entered first and left last."""

    priority = 0

    def init_handle(self, module, function, name, metadata_group, hash):
        """A kernel is loaded."""

    def destroy_handle(self, module, function, name, metadata_group, hash):
        """A kernel is unloaded."""

    def enter(self, metadata):
        """A kernel is about to be launched. ``metadata`` is a LazyDict."""

    def exit(self, metadata):
        """A kernel has been launched."""

    def activate(self):
        """The first session that uses the hook has become active."""

    def deactivate(self):
        """No session that uses the hook is active any more."""


class HookManager:
    """The hooks of all sessions. They are called while a session that uses them is active."""

    #: {session: {hook: whether the session is active}}
    session_hooks = {}
    active_hooks = []

    @classmethod
    def register(cls, hook, session):
        cls.session_hooks.setdefault(session, {})[hook] = True
        cls._update()

    @classmethod
    def unregister(cls, *sessions):
        for session in sessions:
            cls.session_hooks.pop(session, None)
        cls._update()

    @classmethod
    def activate(cls, session=None):
        cls._switch(session, True)

    @classmethod
    def deactivate(cls, session=None):
        cls._switch(session, False)

    @classmethod
    def _switch(cls, session, is_active):
        for each, hooks in cls.session_hooks.items():
            if session is None or each == session:
                hooks.update(dict.fromkeys(hooks, is_active))
        cls._update()

    @classmethod
    def _update(cls):
        before = cls.active_hooks
        wanted = {hook: None for hooks in cls.session_hooks.values() for hook, active in hooks.items() if active}
        cls.active_hooks = sorted(wanted, key=lambda hook: -hook.priority)
        for hook in cls.active_hooks:
            if hook not in before:
                hook.activate()
        for hook in reversed(before):
            if hook not in cls.active_hooks:
                hook.deactivate()
        runtime = knobs.runtime
        chains = (
            (runtime.launch_enter_hook, cls.enter),
            (runtime.launch_exit_hook, cls.exit),
            (runtime.kernel_load_end_hook, cls.init_handle),
            (runtime.kernel_unload_hook, cls.destroy_handle),
        )
        for chain, function in chains:
            (chain.add if cls.active_hooks else chain.remove)(function)

    @classmethod
    def enter(cls, metadata):
        for hook in cls.active_hooks:
            hook.enter(metadata)

    @classmethod
    def exit(cls, metadata):
        for hook in reversed(cls.active_hooks):
            hook.exit(metadata)

    @classmethod
    def init_handle(cls, module, function, name, metadata_group, hash):
        for hook in cls.active_hooks:
            hook.init_handle(module, function, name, metadata_group, hash)

    @classmethod
    def destroy_handle(cls, module, function, name, metadata_group, hash):
        for hook in reversed(cls.active_hooks):
            hook.destroy_handle(module, function, name, metadata_group, hash)
