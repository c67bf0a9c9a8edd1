package dev.komainu.organizer.line.quic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.organizer.line.kit.Answers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class QuicFramesTest implements QuicFrames.Listener {

    private final List<String> events = new ArrayList<>();
    private final ByteBuf body = Unpooled.buffer();

    @Override
    public void onFields(ByteBuf fields, boolean last) {
        events.add("fields " + ByteBufUtil.hexDump(fields) + (last ? " last" : ""));
    }

    @Override
    public void onData(ByteBuf bytes, boolean last) {
        body.writeBytes(bytes);
        bytes.release();
        events.add(last ? "bytes last" : "bytes");
    }

    @Override
    public void onPromise(long stream, ByteBuf fields) {
        events.add("promise " + stream + " " + ByteBufUtil.hexDump(fields));
    }

    @Override
    public void onReset(long code) {
        events.add("reset " + code);
    }

    private QuicFrames read(ByteBuf all, int piece) throws Http2Exception {
        QuicFrames frames = new QuicFrames();
        while (all.isReadable()) {
            ByteBuf next = all.readSlice(Math.min(piece, all.readableBytes()));
            frames.read(UnpooledByteBufAllocator.DEFAULT, next, this);
            assertThat(next.isReadable()).isFalse();
        }
        return frames;
    }

    private static ByteBuf frame(int type, byte... payload) {
        ByteBuf out = Unpooled.buffer();
        QuicFrames.writeHeader(out, type, payload.length);
        return out.writeBytes(payload);
    }

    @Property(tries = 100)
    void read_inPiecesOfAnySize_tellsTheSame(
            @ForAll @IntRange(min = 1, max = 20_000) int piece,
            @ForAll @IntRange(min = 1, max = 100_000) int length)
            throws Exception {
        events.clear();
        body.clear();
        byte[] bytes = Answers.pattern(length);
        QuicFrames frames = read(
                Unpooled.wrappedBuffer(
                        frame(QuicFrames.HEADERS, (byte) 1, (byte) 2),
                        frame(QuicFrames.DATA, bytes),
                        frame(0x40 - 1, (byte) 9),
                        frame(QuicFrames.HEADERS, (byte) 3)),
                piece);
        assertThat(frames.isInside()).isFalse();
        assertThat(events).first().asString().startsWith("fields 0102");
        assertThat(events).last().isEqualTo("fields 03 last");
        assertThat(ByteBufUtil.getBytes(body)).isEqualTo(bytes);
    }

    @Test
    void read_lastFrame_isMarked() throws Exception {
        read(
                Unpooled.wrappedBuffer(
                        frame(QuicFrames.HEADERS, (byte) 1), frame(QuicFrames.DATA, (byte) 5)),
                1_000);
        assertThat(events).containsExactly("fields 01", "bytes last");
    }

    @Test
    void read_halfAFrame_isInsideIt() throws Exception {
        assertThat(read(frame(QuicFrames.DATA, new byte[100]).writerIndex(50), 7)
                        .isInside())
                .isTrue();
        assertThat(read(Unpooled.wrappedBuffer(new byte[] {QuicFrames.DATA}), 1).isInside())
                .isTrue();
    }

    @Test
    void read_reset_returnsItsCode() throws Exception {
        read(frame(QuicFrames.RESET, (byte) 0, (byte) 0, (byte) 1, (byte) 7), 3);
        assertThat(events).containsExactly("reset 263");
    }

    @Test
    void read_promise_returnsStreamAndFields() throws Exception {
        read(frame(QuicFrames.PROMISE, new byte[] {0, 0, 0, 0, 0, 0, 1, 5, 7, 8}), 4);
        assertThat(events).containsExactly("promise 261 0708");
        assertThatThrownBy(() -> read(frame(QuicFrames.PROMISE, new byte[7]), 10))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void read_longerThanAllowed_isRefusedBeforeItIsGathered() {
        ByteBuf writeHeader = Unpooled.buffer();
        QuicFrames.writeHeader(writeHeader, QuicFrames.HEADERS, QuicFrames.MOST_FIELDS + 1);
        assertThatThrownBy(() -> read(writeHeader, 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65537 bytes (expected: at most 65536)");
        ByteBuf reset = frame(QuicFrames.RESET, (byte) 1);
        assertThatThrownBy(() -> read(reset, 10)).hasMessageContaining("expected: 4");
    }
}
