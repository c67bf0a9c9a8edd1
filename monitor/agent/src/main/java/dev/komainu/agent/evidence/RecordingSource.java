package dev.komainu.agent.evidence;

import dev.komainu.agent.packet.FrameDecoder;
import dev.komainu.agent.packet.FrameSink;
import dev.komainu.agent.packet.LinkType;
import dev.komainu.agent.packet.MalformedCaptureException;
import dev.komainu.agent.packet.PacketSource;
import dev.komainu.agent.packet.SegmentSink;
import dev.komainu.agent.packet.TcpSegment;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Source that also writes its frames to an {@link EvidenceRing}: the Ethernet, IP and TCP headers
 * and the configured number of bytes behind them. Frames of unwatched ports and frames without TCP
 * are not written.
 *
 * <p>It decodes the headers separately from the analysis behind it: evidence must show the packets
 * even where the analysis itself is in doubt.
 */
public final class RecordingSource implements PacketSource {

    private final PacketSource source;
    private final EvidenceRing ring;
    private final IntPredicate watchedPort;

    /**
     * Creates a source in front of another one.
     *
     * @param watchedPort frames from or to such a port are kept; called on the source's thread
     */
    public RecordingSource(PacketSource source, EvidenceRing ring, IntPredicate watchedPort) {
        this.source = source;
        this.ring = ring;
        this.watchedPort = watchedPort;
    }

    /** Writer of one reading thread. */
    private final class FrameWriter implements FrameSink, SegmentSink {

        private final FrameSink next;
        private final FrameDecoder decoder = new FrameDecoder(this);
        private final int payload = ring.config().payloadBytes();
        private final @Nullable ClientMask mask =
                ring.config().maskClients() ? new ClientMask() : null;
        private long keepTo;
        private long ipStart;
        private boolean sourceWatched;
        private boolean targetWatched;

        FrameWriter(FrameSink next) {
            this.next = next;
        }

        @Override
        public void frame(
                long micros,
                LinkType link,
                MemorySegment memory,
                long offset,
                int captured,
                int length) {
            keepTo = 0;
            decoder.frame(micros, link, memory, offset, captured, length);
            if (keepTo > 0) {
                int kept = (int) Math.min(captured, keepTo - offset);
                if (mask == null) {
                    ring.append(micros, link, memory, offset, kept, length);
                } else {
                    // Where both ports are watched, either address may be the client's.
                    MemorySegment masked = mask.of(
                            memory,
                            offset,
                            kept,
                            (int) (ipStart - offset),
                            targetWatched,
                            sourceWatched);
                    ring.append(micros, link, masked, 0, kept, length);
                }
            }
            next.frame(micros, link, memory, offset, captured, length);
        }

        @Override
        public void segment(TcpSegment segment) {
            sourceWatched = watchedPort.test(segment.sourcePort);
            targetWatched = watchedPort.test(segment.targetPort);
            if (sourceWatched || targetWatched) {
                ipStart = segment.payloadOffset + segment.payloadLength - segment.ipLength;
                keepTo = segment.payloadOffset + Math.min(payload, segment.payloadCaptured);
            }
        }

        @Override
        public void setInterface(int networkInterface) {
            next.setInterface(networkInterface);
        }

        @Override
        public void idle(long micros) {
            ring.idle(micros);
            next.idle(micros);
        }
    }

    @Override
    public void run(FrameSink sink) throws IOException, MalformedCaptureException {
        source.run(new FrameWriter(sink));
    }

    @Override
    public void stop() {
        source.stop();
    }

    @Override
    public boolean mayRepeat() {
        return source.mayRepeat();
    }

    @Override
    public long delivered() {
        return source.delivered();
    }

    @Override
    public long dropped() {
        return source.dropped();
    }

    /** Closes the source. The ring stays open: it outlives one capture. */
    @Override
    public void close() throws IOException {
        source.close();
    }
}
