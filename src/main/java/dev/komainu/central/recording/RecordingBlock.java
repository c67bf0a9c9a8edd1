package dev.komainu.central.recording;

import com.github.luben.zstd.Zstd;
import dev.komainu.central.recording.RecordedEvent.Accepted;
import dev.komainu.central.recording.RecordedEvent.Ticked;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.wire.BatchCodec;
import dev.komainu.telemetry.wire.Compression;
import dev.komainu.telemetry.wire.MalformedBatchException;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A block of events: the unit that is compressed, checked and written. Belongs to one thread.
 *
 * <pre>
 *  +---------+--------+--------+------------+   all numbers big-endian
 *  | n       | crc32c | events | zstd frame |   n is the length after crc32c
 *  +---------+--------+--------+------------+
 *    4         4        4        rest
 *
 *  +------+----------+--------+-------+
 *  | kind | atMicros | length | batch |         an event in the frame
 *  +------+----------+--------+-------+
 *    1      8          4        length
 * </pre>
 */
final class RecordingBlock {

    /** Bytes before those that {@code n} counts. */
    static final int HEADER = 8;

    /** Level of blocks that are written while batches arrive. */
    static final int FAST = 1;

    /** Level of copies: nine times slower, a third smaller. */
    static final int SMALL = 19;

    /** Bytes of the events of a block above which no further one is added. */
    static final int FULL = 4 << 20;

    private static final int MOST_PLAIN = 48 << 20;
    private static final int LEAST = 4;
    private static final byte ACCEPTED = 1;
    private static final byte TICKED = 2;
    private static final byte REPEATED = 3;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);
    private int events;

    /** Adds a batch in its form without compression. */
    void accepted(long atMicros, boolean repeated, byte[] plain) {
        add(repeated ? REPEATED : ACCEPTED, atMicros, plain);
    }

    void ticked(long atMicros) {
        add(TICKED, atMicros, new byte[0]);
    }

    private void add(byte kind, long atMicros, byte[] content) {
        try {
            out.writeByte(kind);
            out.writeLong(atMicros);
            out.writeInt(content.length);
            out.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException("memory", e);
        }
        events++;
    }

    boolean isEmpty() {
        return events == 0;
    }

    boolean isFull() {
        return bytes.size() >= FULL;
    }

    int events() {
        return events;
    }

    /** Returns the block's bytes, and starts the next one. */
    ByteBuffer finish(int level) {
        byte[] frame = Zstd.compress(bytes.toByteArray(), level);
        ByteBuffer block = ByteBuffer.allocate(HEADER + LEAST + frame.length);
        block.putInt(LEAST + frame.length).putInt(0).putInt(events).put(frame).flip();
        block.putInt(4, checksum(block));
        bytes.reset();
        events = 0;
        return block;
    }

    /** Reports whether a block can have this length after its checksum. */
    static boolean isPlausible(int length) {
        return length >= LEAST && length <= MOST_PLAIN;
    }

    /**
     * Reads the events of a block.
     *
     * @param block its bytes, with the header
     * @throws DamagedBlockException when the checksum or the content is wrong
     */
    static List<RecordedEvent> read(ByteBuffer block) throws DamagedBlockException {
        try {
            return events(block);
        } catch (MalformedBatchException e) {
            throw new DamagedBlockException(String.valueOf(e.getMessage()));
        }
    }

    private static List<RecordedEvent> events(ByteBuffer block)
            throws DamagedBlockException, MalformedBatchException {
        if (checksum(block) != block.getInt(4)) {
            throw new DamagedBlockException("the block's checksum is wrong");
        }
        byte[] frame = new byte[block.limit() - HEADER - LEAST];
        block.get(HEADER + LEAST, frame);
        ByteBuffer plain = ByteBuffer.wrap(Compression.expand(frame, MOST_PLAIN));
        List<RecordedEvent> events = new ArrayList<>();
        while (plain.hasRemaining()) {
            if (plain.remaining() < 1 + 8 + 4) {
                throw new DamagedBlockException("an event of the block is cut off");
            }
            byte kind = plain.get();
            long atMicros = plain.getLong();
            int length = plain.getInt();
            if (length < 0 || length > plain.remaining()) {
                throw new DamagedBlockException("an event's length is " + length
                        + " (expected: at most " + plain.remaining() + ")");
            }
            byte[] content = new byte[length];
            plain.get(content);
            switch (kind) {
                case ACCEPTED, REPEATED ->
                    events.add(new Accepted(atMicros, kind == REPEATED, batch(content)));
                case TICKED -> events.add(new Ticked(atMicros));
                default -> {
                    // A kind of a later version.
                }
            }
        }
        return events;
    }

    private static Batch batch(byte[] plain) throws MalformedBatchException {
        return BatchCodec.decodePlain(plain).batch();
    }

    private static int checksum(ByteBuffer block) {
        CRC32C crc = new CRC32C();
        crc.update(block.duplicate().position(0).limit(4));
        crc.update(block.duplicate().position(HEADER));
        return (int) crc.getValue();
    }
}
