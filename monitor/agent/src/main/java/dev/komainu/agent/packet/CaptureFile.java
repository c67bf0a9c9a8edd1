package dev.komainu.agent.packet;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A capture file: pcap (either byte order, microseconds or nanoseconds) or pcapng.
 *
 * <p>An own reader instead of libpcap: analysing a file needs no native library and no copy, and a
 * broken file is reported with the position of the broken byte.
 */
public final class CaptureFile implements PacketSource {

    private final FileWindow window;
    private volatile boolean stopped;
    private @Nullable FileFormat format;

    /** Reader of one file format, item by item. */
    interface FileFormat {
        /** Delivers the content of the next item; false at the end of the file. */
        boolean next(FrameSink sink) throws IOException, MalformedCaptureException;

        long delivered();

        long dropped();
    }

    /**
     * Opens a capture file.
     *
     * @throws IOException when the file cannot be opened
     */
    public CaptureFile(Path file) throws IOException {
        this.window = new FileWindow(file);
    }

    @Override
    public void run(FrameSink sink) throws IOException, MalformedCaptureException {
        if (stopped) {
            return;
        }
        FileFormat found = recognise();
        format = found;
        while (!stopped && found.next(sink)) {
            // the format delivers
        }
    }

    private FileFormat recognise() throws IOException, MalformedCaptureException {
        if (!window.has(4)) {
            throw window.malformed("file ends after " + window.left()
                    + " bytes (expected: a pcap or pcapng header)");
        }
        int magic = window.intAt(0);
        return switch (magic) {
            case 0xa1b2c3d4 -> new PcapFormat(window, ByteOrder.BIG_ENDIAN, 1);
            case 0xd4c3b2a1 -> new PcapFormat(window, ByteOrder.LITTLE_ENDIAN, 1);
            case 0xa1b23c4d -> new PcapFormat(window, ByteOrder.BIG_ENDIAN, 1_000);
            case 0x4d3cb2a1 -> new PcapFormat(window, ByteOrder.LITTLE_ENDIAN, 1_000);
            case PcapngFormat.SECTION_HEADER -> new PcapngFormat(window);
            default ->
                throw window.malformed("begins with " + Integer.toHexString(magic)
                        + " (expected: the magic number of pcap or pcapng" + compressed(magic)
                        + ")");
        };
    }

    private static String compressed(int magic) {
        return magic >>> 16 == 0x1f8b
                ? "; this is gzip: unpack it first"
                : magic == 0x28b52ffd ? "; this is zstd: unpack it first" : "";
    }

    /** Returns the bytes of the file read so far; a recent value. Any thread. */
    public long position() {
        return window.readUpTo();
    }

    /** Returns the size of the file in bytes when it was opened. */
    public long size() {
        return window.size();
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public long delivered() {
        return format == null ? 0 : format.delivered();
    }

    @Override
    public long dropped() {
        return format == null ? 0 : format.dropped();
    }

    @Override
    public void close() throws IOException {
        window.close();
    }
}
