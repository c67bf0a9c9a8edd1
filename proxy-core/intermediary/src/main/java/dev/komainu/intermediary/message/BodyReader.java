package dev.komainu.intermediary.message;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A decoder that removes the framing from a body (RFC 9112 sections 6 and 7), independent of the
 * boundaries of the reads.
 *
 * <pre>
 *   chunked:  SIZE → EXTENSION* → SIZE_LF → DATA → DATA_CR → DATA_LF → SIZE … → (size 0) TRAILERS → DONE
 *   length:   DATA → DONE          until close: DATA → (end of input) DONE
 * </pre>
 *
 * Trailers are validated like fields and kept apart from them: no decision of this proxy depends on
 * them.
 */
public final class BodyReader {

    /**
     * A receiver of the body's bytes in order. The slice belongs to the input; retain bytes that
     * must outlive the call.
     */
    @FunctionalInterface
    public interface Sink {
        void take(ByteBuf slice);
    }

    /** The result of {@link #read}. */
    public enum Outcome {
        MORE,
        DONE,
        FAULT
    }

    private enum State {
        SIZE,
        EXTENSION,
        SIZE_LF,
        DATA,
        DATA_CR,
        DATA_LF,
        TRAILERS,
        DONE
    }

    private static final int MAX_TRAILERS = 8 * 1024;
    private static final int MAX_SIZE_DIGITS = 15;

    private State state = State.DONE;
    private boolean chunked;
    private boolean untilClose;
    private long remaining;
    private int digits;
    private boolean started;
    private final ChunkExtension extension = new ChunkExtension();
    private @Nullable MessageFault fault;
    private @Nullable Fields trailers;

    /**
     * Begins a body of a known length.
     *
     * @param length body bytes, 0 for none
     */
    public void beginLength(long length) {
        start(length == 0 ? State.DONE : State.DATA, false, false, length);
    }

    public void beginChunked() {
        start(State.SIZE, true, false, 0);
    }

    public void beginUntilClose() {
        start(State.DATA, false, true, Long.MAX_VALUE);
    }

    private void start(State first, boolean chunks, boolean close, long length) {
        state = first;
        chunked = chunks;
        untilClose = close;
        remaining = length;
        digits = 0;
        started = length == 0 && !chunks;
        extension.reset();
        fault = null;
        trailers = null;
    }

    /** Returns the trailer fields; absent when there are none or they were not read yet. */
    public @Nullable Fields trailers() {
        return trailers;
    }

    public boolean isDone() {
        return state == State.DONE;
    }

    /**
     * Reports whether the body's first byte, or the size of its first chunk, was read and is valid.
     */
    public boolean hasStarted() {
        return started;
    }

    /**
     * Reports whether {@code in} contains more bytes than the announced length has left. None of
     * them should be trusted then.
     */
    public boolean isExceededBy(ByteBuf in) {
        return !chunked && !untilClose && in.readableBytes() > remaining;
    }

    /** Reports whether only the peer's close ends this body. */
    public boolean endsAtClose() {
        return untilClose;
    }

    /** Returns the fault after {@link Outcome#FAULT}. */
    public MessageFault fault() {
        return fault == null ? MessageFault.CHUNK_SIZE : fault;
    }

    /**
     * Consumes the bytes that belong to the body, at most all of {@code in}; bytes behind it stay
     * unread.
     */
    public Outcome read(ByteBuf in, Sink sink) {
        while (state != State.DONE && in.isReadable()) {
            MessageFault wrong = null;
            switch (state) {
                case SIZE -> wrong = size(in.readByte());
                case EXTENSION -> wrong = extension(in.readByte());
                case SIZE_LF -> wrong = sizeEnd(in.readByte());
                case DATA -> data(in, sink);
                case DATA_CR -> wrong = expect(in.readByte(), '\r', State.DATA_LF);
                case DATA_LF -> wrong = expect(in.readByte(), '\n', State.SIZE);
                case TRAILERS -> {
                    int before = in.readerIndex();
                    wrong = trailers(in);
                    if (wrong == null && in.readerIndex() == before) {
                        return Outcome.MORE;
                    }
                }
                default -> throw new IllegalStateException(state.name());
            }
            if (wrong != null) {
                fault = wrong;
                return Outcome.FAULT;
            }
        }
        return state == State.DONE ? Outcome.DONE : Outcome.MORE;
    }

    private @Nullable MessageFault size(byte b) {
        int digit = Character.digit(b, 16);
        if (b >= 0 && digit >= 0) {
            remaining = remaining << 4 | digit;
            return ++digits > MAX_SIZE_DIGITS ? MessageFault.CHUNK_SIZE : null;
        }
        if (digits == 0) {
            return MessageFault.CHUNK_SIZE;
        }
        if (b == '\r') {
            state = State.SIZE_LF;
        } else if (b == ';') {
            state = State.EXTENSION;
            extension.begin();
        } else {
            return MessageFault.CHUNK_SIZE;
        }
        return null;
    }

    private @Nullable MessageFault extension(byte b) {
        if (b == '\r' && extension.mayEnd()) {
            state = State.SIZE_LF;
            return null;
        }
        return extension.take(b) ? null : MessageFault.CHUNK_EXTENSION;
    }

    private @Nullable MessageFault sizeEnd(byte b) {
        if (b != '\n') {
            return MessageFault.BARE_CR;
        }
        state = remaining == 0 ? State.TRAILERS : State.DATA;
        started = true;
        digits = 0;
        extension.dataAnnounced(remaining);
        return null;
    }

    private void data(ByteBuf in, Sink sink) {
        int count = (int) Math.min(remaining, in.readableBytes());
        started = true;
        if (!untilClose) {
            remaining -= count;
        }
        if (remaining == 0) {
            state = chunked ? State.DATA_CR : State.DONE;
        }
        sink.take(in.readSlice(count));
    }

    private @Nullable MessageFault expect(byte b, char expected, State next) {
        if (b != expected) {
            return MessageFault.CHUNK_END;
        }
        state = next;
        return null;
    }

    /**
     * Reads the trailers once they are complete. They are small, and a part of them is of no use.
     */
    private @Nullable MessageFault trailers(ByteBuf in) {
        byte[] all = new byte[Math.min(in.readableBytes(), MAX_TRAILERS)];
        in.getBytes(in.readerIndex(), all);
        Fields fields = new Fields();
        int end = fields.scan(all, 0, all.length);
        if (end == Fields.FAULT) {
            return fields.fault();
        }
        if (end == Fields.INCOMPLETE) {
            return all.length == MAX_TRAILERS ? MessageFault.TRAILER_TOO_LARGE : null;
        }
        in.skipBytes(end);
        state = State.DONE;
        trailers = fields.count() == 0 ? null : fields;
        return null;
    }

    /**
     * Notifies that the peer has ended its output.
     *
     * @return true when this completes the body
     */
    public boolean end() {
        if (untilClose) {
            state = State.DONE;
        }
        return state == State.DONE;
    }
}
