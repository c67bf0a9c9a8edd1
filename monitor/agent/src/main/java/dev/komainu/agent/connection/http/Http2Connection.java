package dev.komainu.agent.connection.http;

import dev.komainu.agent.connection.exchange.OpenExchanges;
import java.util.Arrays;

/**
 * State of an HTTP/2 connection in the clear: the read position and the header table of each
 * direction, and the exchanges of the open streams. {@link Http2Reader} limits the number of these
 * objects.
 */
final class Http2Connection {

    /** Largest number of open streams followed; peers allow 100 to 256. */
    static final int MOST_STREAMS = 256;

    static final int FRAME_HEADER = 9;
    /** Longest header block read, in bytes. */
    static final int LONGEST_BLOCK = 32_768;

    private static final byte[] NOTHING = new byte[0];

    /** State of one direction. */
    static final class Side {
        final HpackTable table = new HpackTable();
        final byte[] header = new byte[FRAME_HEADER];
        /** Bytes seen of the preface; {@link #headerBytes} counts those of the frame's header. */
        int preface;

        int headerBytes;
        /** The beginning of the next frame is unknown. */
        boolean searching;
        /** Bytes left of the frame that is being read. */
        int left;

        int type;
        int flags;
        int stream;
        /** Instant of the frame's first byte. */
        long frameMicros;
        /** Instant of the first byte of the frame that began the block. */
        long begunMicros;
        /**
         * Of the block that is being collected: its stream, whether it ends the stream, whether it
         * is a promise.
         */
        int blockStream;

        boolean endsStream;
        boolean isPromise;
        byte[] block = NOTHING;
        int blockLength;
        /** Offset in the block at which the current frame begins. */
        int frameFrom;

        boolean blockLost;

        void append(byte[] bytes, int from, int length) {
            if (blockLength + length > LONGEST_BLOCK) {
                blockLost = true;
                return;
            }
            if (blockLength + length > block.length) {
                block = Arrays.copyOf(block, Math.max(512, (blockLength + length) * 2));
            }
            System.arraycopy(bytes, from, block, blockLength, length);
            blockLength += length;
        }

        void forgetBlock() {
            blockLength = 0;
            frameFrom = 0;
            blockLost = false;
            if (block.length > 4_096) {
                block = NOTHING;
            }
        }
    }

    final Side up = new Side();
    final Side down = new Side();
    private int[] streams = new int[8];
    private int[] exchanges = new int[8];
    private int open;

    Side side(boolean isUp) {
        return isUp ? up : down;
    }

    /** Returns the exchange of a stream, or {@link OpenExchanges#NONE}. */
    int exchange(int stream) {
        for (int i = 0; i < open; i++) {
            if (streams[i] == stream) {
                return exchanges[i];
            }
        }
        return OpenExchanges.NONE;
    }

    boolean isFull() {
        return open == MOST_STREAMS;
    }

    void open(int stream, int exchange) {
        if (open == streams.length) {
            streams = Arrays.copyOf(streams, open * 2);
            exchanges = Arrays.copyOf(exchanges, open * 2);
        }
        streams[open] = stream;
        exchanges[open++] = exchange;
    }

    /** Closes a stream and keeps the order of arrival. */
    void close(int stream) {
        for (int i = 0; i < open; i++) {
            if (streams[i] == stream) {
                System.arraycopy(streams, i + 1, streams, i, open - i - 1);
                System.arraycopy(exchanges, i + 1, exchanges, i, open - i - 1);
                open--;
                return;
            }
        }
    }

    int openStreams() {
        return open;
    }

    int streamAt(int index) {
        return streams[index];
    }

    int exchangeAt(int index) {
        return exchanges[index];
    }
}
