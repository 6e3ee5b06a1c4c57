# The module as contrib/manet-mutex in a tree of ns-3 that is built by waf, up to 3.35; newer ones
# read CMakeLists.txt. Builds the library: the suites and the scenario need 3.36, whose simulator
# schedules lambdas.
import os
import subprocess

from waflib import Logs
from waflib.Errors import WafError
from waflib.TaskGen import after_method, feature


@feature('manet_mutex_rust')
@after_method('apply_link')
def relink_with_the_core(self):
    # waf does not look into LDFLAGS: without this, a changed core would not be linked anew.
    archive = self.bld.root.find_resource(self.manet_mutex_archive)
    if archive:
        self.link_task.dep_nodes.append(archive)


def options(opt):
    opt.add_option('--manet-mutex-profile', default='release', dest='manet_mutex_profile',
                   help='cargo profile of the core of contrib/manet-mutex: release or dev')


def configure(conf):
    folders = os.environ.get('PATH', '').split(os.pathsep)
    folders.append(os.path.expanduser('~/.cargo/bin'))
    conf.find_program('cargo', var='CARGO', path_list=folders,
                      errmsg='not found: install Rust 1.88 or newer, or add it to PATH')
    conf.env['MANET_MUTEX_PROFILE'] = conf.options.manet_mutex_profile


def build_core(bld):
    """Runs cargo, which knows by itself what is out of date; returns archive and includes."""
    root = os.path.realpath(bld.path.abspath())  # contrib/manet-mutex may be a symlink
    target = os.path.join(bld.bldnode.abspath(), 'manet-mutex-cargo')
    profile = bld.env['MANET_MUTEX_PROFILE'] or 'release'
    if bld.cmd in ('build', 'install'):
        env = dict(os.environ, CARGO_TARGET_DIR=target, CXX=bld.env.CXX[0])
        for flags in ('CXXFLAGS', 'CFLAGS', 'LDFLAGS'):  # meant for ns-3, not for the bridge
            env.pop(flags, None)
        command = bld.env.CARGO + [
            'build', '--locked', '--profile', profile, '--package', 'manet-mutex-bridge',
            '--manifest-path', os.path.join(root, 'Cargo.toml')]
        Logs.info('contrib/manet-mutex: the core, by cargo')
        if subprocess.call(command, env=env) != 0:
            raise WafError('contrib/manet-mutex: cargo could not build the core, see above')
    folder = 'debug' if profile == 'dev' else profile
    return (os.path.join(target, folder, 'libmanet_mutex_bridge.a'),
            [os.path.join(target, 'cxxbridge'),
             os.path.join(root, 'ns3-module', 'bridge', 'include')])


def build(bld):
    archive, includes = build_core(bld)

    module = bld.create_ns3_module(
        'manet-mutex', ['core', 'network', 'mobility', 'propagation', 'wifi', 'internet'])
    module.source = [
        'ns3-module/helper/mutex-event-log.cc',
        'ns3-module/helper/mutex-helper.cc',
        'ns3-module/model/mutex-application-type.cc',
        'ns3-module/model/mutex-application-workload.cc',
        'ns3-module/model/mutex-application.cc',
        'ns3-module/model/mutex-connectivity.cc',
        'ns3-module/model/mutex-core.cc',
        'ns3-module/model/mutex-monitor.cc',
        'ns3-module/model/mutex-radio.cc',
        'ns3-module/model/mutex-room.cc',
        'ns3-module/model/mutex-socket.cc',
        'ns3-module/model/mutex-traffic.cc',
        'ns3-module/model/mutex-types.cc',
    ]
    module.env.append_value('INCLUDES', includes)
    # LDFLAGS end waf's link line, LINKFLAGS begin it: an archive has to follow the objects.
    module.env.append_value('LDFLAGS', [
        archive, '-Wl,--exclude-libs,libmanet_mutex_bridge.a', '-lpthread', '-ldl'])
    module.manet_mutex_archive = archive
    module.features += ' manet_mutex_rust'

    headers = bld(features='ns3header')
    headers.module = 'manet-mutex'
    headers.source = [
        'ns3-module/helper/mutex-event-log.h',
        'ns3-module/helper/mutex-helper.h',
        'ns3-module/model/mutex-application.h',
        'ns3-module/model/mutex-channel.h',
        'ns3-module/model/mutex-connectivity.h',
        'ns3-module/model/mutex-monitor.h',
        'ns3-module/model/mutex-radio.h',
        'ns3-module/model/mutex-room.h',
        'ns3-module/model/mutex-socket.h',
        'ns3-module/model/mutex-traffic.h',
        'ns3-module/model/mutex-types.h',
    ]
