package dev.komainu.agent.settings;

import dev.komainu.agent.connection.exchange.Privacy;
import dev.komainu.agent.evidence.EvidenceConfig;
import dev.komainu.agent.host.HostSettings;
import dev.komainu.telemetry.record.Endpoint;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything the agent is told. {@link AgentSettingsReader} makes one; {@code docs/configuration/agent.md} lists every
 * key with unit, range, default and effect.
 *
 * @param node this host's name in every record
 * @param interfaces to capture on; empty: loopback and the default route's
 * @param ports watch exactly these; empty: what is discovered
 * @param alsoPorts watch these too, besides what is discovered
 * @param services servers elsewhere whose traffic passes here, {@code ADDRESS:PORT}
 * @param print records as JSON lines on standard output
 * @param mode what to do
 * @param centralUrl where to report; absent: nowhere
 * @param tokenFile holds the bearer token
 * @param data directory of the spool
 * @param snaplen bytes kept of each packet
 * @param bufferBytes size of the kernel's rings, all interfaces and threads together
 * @param captureThreads that share the connections
 * @param host how often the host is looked at
 * @param discoveryInterval between two looks for servers
 * @param privacy what of clients and targets records may show
 * @param printWindow length of the windows printed; the central service always gets seconds
 * @param evidence where the headers of recent packets are kept; absent: nowhere
 * @param outside access logs, and the origin sides of proxies
 * @param changes whether orders of the central service are carried out
 */
public record AgentSettings(
        String node,
        List<String> interfaces,
        Set<Integer> ports,
        Set<Integer> alsoPorts,
        List<Endpoint> services,
        boolean print,
        Mode mode,
        @Nullable URI centralUrl,
        @Nullable Path tokenFile,
        Path data,
        int snaplen,
        int bufferBytes,
        int captureThreads,
        HostSettings host,
        Duration discoveryInterval,
        Privacy privacy,
        Duration printWindow,
        @Nullable EvidenceConfig evidence,
        OutsideSettings outside,
        ChangeSettings changes) {

    /** Which halves run. */
    public enum Mode {
        /** ENMA and rep2. */
        BOTH,
        /** rep2 alone: no packet is read. */
        HOST_ONLY,
        /** ENMA alone, for a probe at a mirror port. */
        CAPTURE_ONLY
    }

    /**
     * 1,024 bytes: an HTTP request's first line and most whole heads, and a TLS ClientHello of up to about 900 bytes with
     * its server name, while the body of large answers is not copied. Longer heads are counted, their target is absent.
     */
    public static final int DEFAULT_SNAPLEN = 1_024;

    public static final int DEFAULT_BUFFER_BYTES = 64 << 20;

    /** Each has its share of the ring and of the memory for connections; more make shares too small. */
    public static final int MOST_CAPTURE_THREADS = 8;

    public AgentSettings {
        interfaces = List.copyOf(interfaces);
        ports = Set.copyOf(ports);
        alsoPorts = Set.copyOf(alsoPorts);
        services = List.copyOf(services);
    }

    public boolean captures() {
        return mode != Mode.HOST_ONLY;
    }

    public boolean samplesHost() {
        return mode != Mode.CAPTURE_ONLY;
    }
}
