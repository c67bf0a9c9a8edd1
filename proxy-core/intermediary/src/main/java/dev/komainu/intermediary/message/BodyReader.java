package dev.komainu.intermediary.message;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Takes a body out of its framing (RFC 9112 sections 6 and 7), however the bytes are cut.
 *
 * <pre>
 *   chunked:  SIZE → EXTENSION* → SIZE_LF → DATA → DATA_CR → DATA_LF → SIZE … → (size 0) TRAILERS → DONE
 *   length:   DATA → DONE          until close: DATA → (end of input) DONE
 * </pre>
 *
 * Trailers are checked like fields and kept apart from them: nothing this proxy decides depends on
 * them.
 */
public final class BodyReader {

    /**
     * Receives the body's bytes in order; the slice belongs to the reader's input: retain what must
     * outlive the call.
     */
    @FunctionalInterface
    public interface Sink {
        void take(ByteBuf slice);
    }

    /** What {@link #read} came to. */
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

    /** @param length body bytes, 0 for none */
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

    /** What followed the last chunk; absent when there was nothing, or it is not read yet. */
    public @Nullable Fields trailers() {
        return trailers;
    }

    public boolean isDone() {
        return state == State.DONE;
    }

    /** Whether the body's first byte, or the size of its first chunk, was read and is lawful. */
    public boolean hasStarted() {
        return started;
    }

    /**
     * Whether {@code in} holds more than the announced length has left: then none of it should be
     * believed.
     */
    public boolean isExceededBy(ByteBuf in) {
        return !chunked && !untilClose && in.readableBytes() > remaining;
    }

    /** Only the peer's close ends this body. */
    public boolean endsAtClose() {
        return untilClose;
    }

    public MessageFault fault() {
        return fault == null ? MessageFault.CHUNK_SIZE : fault;
    }

    /**
     * Consumes what belongs to the body, at most all of {@code in}; what follows it stays unread.
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
     * Reads the trailers only when they are complete: they are small, and nobody is served by half
     * of them.
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

    /** The peer ended its side. @return true when that completes the body */
    public boolean end() {
        if (untilClose) {
            state = State.DONE;
        }
        return state == State.DONE;
    }
}
