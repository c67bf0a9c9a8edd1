package dev.komainu.agent.evidence;

import dev.komainu.agent.packet.CaptureFile;
import dev.komainu.agent.packet.FrameDecoder;
import dev.komainu.agent.packet.FrameSink;
import dev.komainu.agent.packet.LinkType;
import dev.komainu.agent.packet.MalformedCaptureException;
import dev.komainu.agent.packet.SegmentSink;
import dev.komainu.agent.packet.TcpSegment;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the files of an {@link EvidenceRing}, older half first, also while an agent writes
 * them. One thread.
 */
final class EvidenceReader {

    private static final int MOST_TRIES = 5;

    private final Path file;
    private @Nullable MalformedCaptureException cut;

    /**
     * Creates a reader; the files are opened when they are read.
     *
     * @param file the newest half
     */
    EvidenceReader(Path file) {
        this.file = file;
    }

    /**
     * Returns the fault when the newest half ended in the middle of a record; null when it did not.
     */
    @Nullable
    MalformedCaptureException cut() {
        return cut;
    }

    /**
     * Returns the instant of the newest packet, microseconds since the epoch;
     * {@link Long#MIN_VALUE} when there is none.
     */
    long newestMicros() throws IOException, MalformedCaptureException {
        Newest newest = new Newest();
        read(newest);
        return newest.micros;
    }

    private static final class Newest implements FrameSink {
        private long micros = Long.MIN_VALUE;

        @Override
        public void frame(
                long at,
                LinkType link,
                MemorySegment memory,
                long offset,
                int captured,
                int length) {
            micros = Math.max(micros, at);
        }
    }

    /** Writes the packets that pass the filter as one capture file; returns their number. */
    long cut(EvidenceFilter filter, OutputStream out)
            throws IOException, MalformedCaptureException {
        MemorySegment header = MemorySegment.ofArray(new byte[EthernetPcapWriter.FILE_HEADER]);
        EthernetPcapWriter.header(header, 0);
        out.write(header.toArray(ValueLayout.JAVA_BYTE));
        PacketExtractor extractor = new PacketExtractor(filter, out);
        read(extractor);
        IOException failure = extractor.failure;
        if (failure != null) {
            throw failure;
        }
        return extractor.count;
    }

    private static final class PacketExtractor implements FrameSink, SegmentSink {
        private final EvidenceFilter filter;
        private final OutputStream out;
        private final FrameDecoder decoder = new FrameDecoder(this);
        private final byte[] bytes = new byte[1 << 19];
        private final MemorySegment record = MemorySegment.ofArray(bytes);
        private boolean taken;
        private long count;
        private @Nullable IOException failure;

        PacketExtractor(EvidenceFilter filter, OutputStream out) {
            this.filter = filter;
            this.out = out;
        }

        @Override
        public void segment(TcpSegment segment) {
            taken = filter.matches(segment);
        }

        @Override
        public void idle(long micros) {
            // A file has no idle time.
        }

        @Override
        public void frame(
                long micros,
                LinkType link,
                MemorySegment memory,
                long offset,
                int captured,
                int length) {
            taken = false;
            decoder.frame(micros, link, memory, offset, captured, length);
            if (!taken || failure != null || EthernetPcapWriter.most(captured) > bytes.length) {
                return;
            }
            try {
                out.write(
                        bytes,
                        0,
                        EthernetPcapWriter.record(
                                record, 0, micros, link, memory, offset, captured, length));
                count++;
            } catch (IOException e) {
                failure = e;
            }
        }
    }

    private void read(FrameSink sink) throws IOException, MalformedCaptureException {
        List<CaptureFile> halves = open();
        try {
            for (CaptureFile half : halves) {
                try {
                    half.run(sink);
                } catch (MalformedCaptureException e) {
                    // Allowed only where an agent writes the file, or was killed while writing it.
                    if (half != halves.getLast()) {
                        throw e;
                    }
                    cut = e;
                }
            }
        } finally {
            for (CaptureFile half : halves) {
                half.close();
            }
        }
    }

    /** Opens both halves of one instant: retried when they were swapped meanwhile. */
    private List<CaptureFile> open() throws IOException {
        Path older = EvidenceSettings.older(file);
        for (int tries = 1; ; tries++) {
            Object before = key(file);
            List<CaptureFile> halves = new ArrayList<>();
            if (Files.exists(older)) {
                halves.add(new CaptureFile(older));
            }
            halves.add(new CaptureFile(file));
            if (Objects.equals(before, key(file)) || tries == MOST_TRIES) {
                return halves;
            }
            for (CaptureFile half : halves) {
                half.close();
            }
        }
    }

    private static @Nullable Object key(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }
}
