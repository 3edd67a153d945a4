#!/usr/bin/env bash
# Sourced: makes a bare Debian 12, debootstrap's smallest variant, in the folder $root, which goes when the shell ends. Has the
# machine's own configuration of apt and pip, and nothing else of it. Needs root.
#
#   run_in_bare_system COMMANDS [CACHE [FOLDER]]    runs them there, in FOLDER; CACHE becomes ccache's folder
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
# Where this machine gets Debian from; debootstrap's own mirror if it is not a Debian of this suite.
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

# Its mounts and processes end with it.
inside='set -e
mount --make-rprivate /
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
[ -z "$2" ] || mount --bind "$2" "$1/root/.cache/ccache"
root=$1 directory=$3 commands=$4
shift 4
exec chroot "$root" env -i "$@" bash -ec "cd \"$directory\"; apt-get update -qq; set -x; $commands"'

run_in_bare_system() {
  unshare --mount --pid --fork --kill-child \
    bash -c "$inside" bare-system "$root" "${2:-}" "${3:-/root}" "$1" "${environment[@]}"
}
