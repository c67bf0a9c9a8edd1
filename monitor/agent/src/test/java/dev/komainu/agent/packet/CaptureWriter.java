package dev.komainu.agent.packet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writer of capture files of every kind for tests. */
public final class CaptureWriter {

    private CaptureWriter() {}

    public static Path pcap(Path file, List<Frame> frames) throws IOException {
        return Files.write(file, pcap(frames, ByteOrder.LITTLE_ENDIAN, false));
    }

    public static byte[] pcap(List<Frame> frames, ByteOrder order, boolean nanos) {
        int size = 24
                + frames.stream().mapToInt(frame -> 16 + frame.bytes().length).sum();
        ByteBuffer out = ByteBuffer.allocate(size).order(order);
        out.putInt(nanos ? 0xa1b23c4d : 0xa1b2c3d4)
                .putShort((short) 2)
                .putShort((short) 4)
                .putLong(0)
                .putInt(65_535);
        out.putInt(frames.isEmpty() ? 1 : number(frames.getFirst().link()));
        for (Frame frame : frames) {
            out.putInt((int) (frame.micros() / 1_000_000));
            out.putInt((int) (frame.micros() % 1_000_000) * (nanos ? 1_000 : 1));
            out.putInt(frame.bytes().length).putInt(frame.length()).put(frame.bytes());
        }
        return out.array();
    }

    public static byte[] pcapng(List<Frame> frames, ByteOrder order, boolean nanos) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        block(
                out,
                order,
                0x0a0d0d0a,
                buffer(order, 16).putInt(0x1a2b3c4d).putInt(1).putLong(-1));
        ByteBuffer networkInterface = buffer(order, nanos ? 20 : 8);
        networkInterface.putShort((short)
                number(frames.isEmpty() ? LinkType.ETHERNET : frames.getFirst().link()));
        networkInterface.putShort((short) 0).putInt(0);
        if (nanos) {
            networkInterface
                    .putShort((short) 9)
                    .putShort((short) 1)
                    .put((byte) 9)
                    .put(new byte[3])
                    .putInt(0);
        }
        block(out, order, 1, networkInterface);
        for (Frame frame : frames) {
            long ticks = frame.micros() * (nanos ? 1_000 : 1);
            ByteBuffer body = buffer(order, 20 + (frame.bytes().length + 3 & ~3));
            body.putInt(0).putInt((int) (ticks >>> 32)).putInt((int) ticks);
            body.putInt(frame.bytes().length).putInt(frame.length()).put(frame.bytes());
            block(out, order, 6, body);
        }
        // Unknown blocks are skipped.
        block(out, order, 0x0bad, buffer(order, 8));
        return out.toByteArray();
    }

    private static ByteBuffer buffer(ByteOrder order, int size) {
        return ByteBuffer.allocate(size).order(order);
    }

    private static void block(
            ByteArrayOutputStream out, ByteOrder order, int type, ByteBuffer body) {
        int length = body.capacity() + 12;
        out.writeBytes(buffer(order, 8).putInt(type).putInt(length).array());
        out.writeBytes(body.array());
        out.writeBytes(buffer(order, 4).putInt(length).array());
    }

    private static int number(LinkType link) {
        return switch (link) {
            case NULL -> 0;
            case ETHERNET -> 1;
            case RAW -> 101;
            case LOOP -> 108;
            case LINUX_SLL -> 113;
            case LINUX_SLL2 -> 276;
            case OTHER -> 147;
        };
    }
}
