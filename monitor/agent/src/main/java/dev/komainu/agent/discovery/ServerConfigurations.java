package dev.komainu.agent.discovery;

import dev.komainu.agent.discovery.apache.ApacheReader;
import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.ConfigurationReader;
import dev.komainu.agent.discovery.configuration.ConfigurationSubject;
import dev.komainu.agent.discovery.configuration.ServerConfiguration;
import dev.komainu.agent.discovery.gunicorn.GunicornReader;
import dev.komainu.agent.discovery.haproxy.HaproxyReader;
import dev.komainu.agent.discovery.komainu.KomainuReader;
import dev.komainu.agent.discovery.nginx.NginxReader;
import dev.komainu.agent.discovery.phpfpm.PhpFpmReader;
import dev.komainu.agent.discovery.program.ProcessEnvironment;
import dev.komainu.agent.discovery.program.ProgramOutput;
import dev.komainu.agent.discovery.program.ServerKind;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.discovery.program.VersionText;
import dev.komainu.agent.discovery.squid.SquidReader;
import dev.komainu.agent.discovery.tomcat.TomcatReader;
import dev.komainu.agent.discovery.tomcat.TomcatVersion;
import dev.komainu.agent.discovery.uwsgi.UwsgiReader;
import dev.komainu.agent.discovery.varnish.VarnishReader;
import dev.komainu.agent.host.linux.ProcFiles;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The configurations of the servers found, read once and again only when one of their files
 * changed. One thread at a time.
 */
final class ServerConfigurations {

    private static final Map<ServerKind, ConfigurationReader> READERS = new EnumMap<>(Map.of(
            ServerKind.NGINX, new NginxReader(),
            ServerKind.APACHE, new ApacheReader(),
            ServerKind.TOMCAT, new TomcatReader(),
            ServerKind.SQUID, new SquidReader(),
            ServerKind.HAPROXY, new HaproxyReader(),
            ServerKind.VARNISH, new VarnishReader(),
            ServerKind.GUNICORN, new GunicornReader(),
            ServerKind.UWSGI, new UwsgiReader(),
            ServerKind.PHP_FPM, new PhpFpmReader(),
            ServerKind.KOMAINU, new KomainuReader()));

    private final ProcFiles proc;
    private final ProgramOutput programs;
    private final Map<Key, VersionedConfiguration> readings = new HashMap<>();
    private final Set<Key> stale = new HashSet<>();

    /**
     * The identity of a server's process and one of its ports. The start time is part of it because
     * the kernel reuses process ids.
     *
     * @param port 0 for a Unix socket
     * @param socketPath the path of its Unix socket; absent for a port
     */
    record Key(
            long processId,
            long startTicks,
            int port,
            @Nullable String socketPath) {

        /** Creates the identity of a server at a port. */
        Key(long processId, long startTicks, int port) {
            this(processId, startTicks, port, null);
        }
    }

    /**
     * A configuration with the files it was read from.
     *
     * @param version the version the server's program reports; absent when unknown
     */
    record VersionedConfiguration(
            @Nullable String version,
            ServerConfiguration configuration,
            ConfigurationFiles files) {}

    ServerConfigurations(ProcFiles proc, ProgramOutput programs) {
        this.proc = proc;
        this.programs = programs;
    }

    /**
     * Returns the configuration of a server, read now if it is new or one of its files changed. The
     * title of a worker does not contain the path of its configuration: a worker whose master was
     * killed has the configuration that was read for its master.
     */
    VersionedConfiguration of(ServerKind kind, ServerProcess process, Key key) {
        VersionedConfiguration known = readings.get(key);
        if (known == null && key.port() > 0 && process.isTitledWorker()) {
            known = ofPort(key.port());
            if (known != null) {
                readings.put(key, known);
                return known;
            }
        }
        if (known == null || stale.remove(key) || known.files().changed()) {
            // When the program file was replaced while the program runs, the known version stays
            // correct.
            known = read(kind, process, key, known == null ? null : known.version());
            readings.put(key, known);
        }
        return known;
    }

    private @Nullable VersionedConfiguration ofPort(int port) {
        return readings.entrySet().stream()
                .filter(reading -> reading.getKey().port() == port)
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    /** Reports whether any file changed since it was read. One {@code stat} per file. */
    boolean changed() {
        Set<Object> checked = new HashSet<>();
        return readings.values().stream().anyMatch(read -> read.files().changed(checked));
    }

    /** Discards the configurations of all other servers. */
    void retain(Collection<Key> keys) {
        readings.keySet().retainAll(keys);
        stale.retainAll(keys);
    }

    /** Marks every configuration to be read again at its next request. */
    void invalidate() {
        stale.addAll(readings.keySet());
    }

    private VersionedConfiguration read(
            ServerKind kind, ServerProcess process, Key key, @Nullable String knownVersion) {
        ConfigurationFiles files = ConfigurationFiles.of(process, proc);
        String version = switch (kind) {
            case TOMCAT -> TomcatVersion.of(process, files);
            case KOMAINU -> VersionText.komainu(process.arguments());
            default -> VersionText.version(programs.of(process, kind.versionFlag()));
        };
        version = version == null ? knownVersion : version;
        ConfigurationReader reader = READERS.get(kind);
        if (reader == null) {
            return new VersionedConfiguration(version, ServerConfiguration.NONE, files);
        }
        ConfigurationFindings findings = new ConfigurationFindings(kind.label(), version);
        reader.read(
                new ConfigurationSubject(
                        process,
                        version,
                        key.port(),
                        key.socketPath(),
                        files,
                        ProcessEnvironment.of(proc, process.id()),
                        proc,
                        flags -> programs.of(process, flags)),
                findings);
        return new VersionedConfiguration(version, findings.configuration(files), files);
    }
}
