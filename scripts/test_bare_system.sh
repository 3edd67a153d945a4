#!/usr/bin/env bash
# Follows the README to the letter in a bare Debian 12: debootstrap's smallest variant, without Python packages and CUDA.
#
#   scripts/test_bare_system.sh               always
#   scripts/test_bare_system.sh --if-changed  unless it has passed with what decides the set-up as it is now
#
# What decides it: the set-up and its lists, the Makefile, CMake's top level, the README's commands and the modules that
# Python code imports. .ci/bare-system.passed holds their hash when this has passed; commit it. Works on the last commit,
# as root, with the machine's own configuration of apt and pip. The cache of ccache is lent to the bare system to save
# time; CCACHE_DISABLE=1 leaves it out.
set -euo pipefail
cd "$(dirname "$0")/.."
record=.ci/bare-system.passed
commands=$(grep -oE '^make (demo|test)\b|apt-get install -y [a-z ]+' README.md)

hash_inputs() {
  local python=.venv/bin/python
  [ -x $python ] || python=python3
  {
    echo "$commands"
    "$python" scripts/check_requirements.py --modules
    git ls-files -z scripts/setup.sh scripts/run_tests.sh scripts/test_bare_system.sh 'python/requirements*.txt' \
      Makefile CMakeLists.txt CMakePresets.json cmake | xargs -0 sha256sum
  } | sha256sum | cut -d' ' -f1
}

inputs=$(hash_inputs)
if [ "${1:-}" = --if-changed ] && [ "$(cat $record 2>/dev/null)" = "$inputs" ]; then
  echo "The bare system has passed with this set-up: $record."
  exit 0
fi
if [ "$(id -u)" != 0 ]; then
  echo "$0: needs root, for debootstrap and chroot" >&2
  exit 1
fi
if ! command -v debootstrap >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap >/dev/null
fi

suite=bookworm
root=$(mktemp -d "${TMPDIR:-/var/tmp}/bare-system.XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
chmod 755 "$root" # It becomes `/`, which every user may read.
# Where this machine gets Debian from; debootstrap's own mirror if it is no Debian of this suite.
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
  awk -v suite=$suite '$2 == suite { print $1; exit }')
echo "bare system: debootstrap"
debootstrap --variant=minbase $suite "$root" ${mirror:+"$mirror"} >"$root.log" 2>&1 || { cat "$root.log"; exit 1; }
rm -f "$root.log"

# The way to the packages: apt's and pip's configuration, names of hosts, certificates.
rm "$root/etc/apt/sources.list"
cp -a /etc/apt/. "$root/etc/apt/"
mkdir -p "$root/usr/share/keyrings" "$root/usr/local/share/ca-certificates" "$root/root/.config/pip"
cp -a /usr/share/keyrings/. "$root/usr/share/keyrings/"
cp -aL /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
for file in /etc/pip.conf "$HOME/.config/pip/pip.conf"; do
  [ ! -f "$file" ] || cp "$file" "$root/root/.config/pip/pip.conf"
done
environment=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
  "TERM=${TERM:-dumb}")
while IFS= read -r -d '' variable; do
  case ${variable%%=*} in
    PIP_CERT) cp -L "${variable#*=}" "$root/etc/pip-certificates.crt"; environment+=(PIP_CERT=/etc/pip-certificates.crt) ;;
    PIP_FIND_LINKS) ;; # packages kept on this machine, which a bare one has not
    LANG | LC_*) environment+=("$variable") ;; # ccache asks for the language of messages
    PIP_* | http_proxy | https_proxy | no_proxy | HTTP_PROXY | HTTPS_PROXY | NO_PROXY) environment+=("$variable") ;;
  esac
done < <(env -0)

# A fresh clone, under the path that it has here: compilations then hash alike.
mkdir -p "$root$PWD"
git clone --quiet --no-hardlinks . "$root$PWD"
[ -z "$(git status --porcelain)" ] || echo "bare system: changes that are not committed are not tested" >&2
cache=
if [ -z "${CCACHE_DISABLE:-}" ] && command -v ccache >/dev/null; then
  cache=$(ccache --get-config cache_dir)
  mkdir -p "$cache" "$root/root/.cache/ccache"
fi

# Its mounts and processes end with it.
inside='set -e
mount --make-rprivate /
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
[ -z "$2" ] || mount --bind "$2" "$1/root/.cache/ccache"
root=$1 directory=$3 commands=$4
shift 4
exec chroot "$root" env -i "$@" bash -ec "cd \"$directory\"; apt-get update -qq; set -x; $commands"'
echo "bare system: ${commands//$'\n'/; }"
unshare --mount --pid --fork --kill-child \
  bash -c "$inside" bare-system "$root" "$cache" "$PWD" "$commands" "${environment[@]}"

if [ -z "$(git status --porcelain)" ] && [ "$(cat $record 2>/dev/null)" != "$inputs" ]; then
  echo "$inputs" > $record
  echo "bare system: passed; commit $record"
fi
