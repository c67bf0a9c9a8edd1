package dev.komainu.proxy.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CloseNotifyDelayTest {

    private static final byte[] DATA = record(23, 300);
    private static final byte[] LAST_WORD = record(23, CloseNotifyDelay.SEALED_ALERT);
    private static final byte[] PADDED = record(23, CloseNotifyDelay.PADDED_ALERT);
    private static final byte[] LAST_WORD_12 = record(21, 26);

    private boolean owed = true;
    private final CloseNotifyDelay hold = new CloseNotifyDelay();
    private final EmbeddedChannel channel = new EmbeddedChannel(hold);

    CloseNotifyDelayTest() {
        hold.delayWhile(() -> owed);
    }

    @AfterEach
    void tearDown() {
        channel.finishAndReleaseAll();
    }

    private static byte[] record(int type, int length) {
        byte[] bytes = new byte[5 + length];
        bytes[0] = (byte) type;
        bytes[1] = 3;
        bytes[2] = 3;
        bytes[3] = (byte) (length >> 8);
        bytes[4] = (byte) length;
        for (int i = 5; i < bytes.length; i++) {
            bytes[i] = (byte) (type + i);
        }
        return bytes;
    }

    private void in(byte[] bytes, int from, int to) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes, from, to - from));
    }

    private byte[] passed() {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf part = channel.readInbound(); part != null; part = channel.readInbound()) {
            all.writeBytes(part);
            part.release();
        }
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes);
        return bytes;
    }

    private static byte[] join(byte[]... parts) {
        return Unpooled.copiedBuffer(parts).array();
    }

    @Test
    void lastWord_whileAnAnswerIsOwed_waitsForIt_howeverItIsCut() {
        for (byte[] word : new byte[][] {LAST_WORD, PADDED, LAST_WORD_12}) {
            byte[] all = join(DATA, word);
            for (int one = 0; one <= all.length; one += one < 295 ? 59 : 1) {
                for (int two = one; two <= all.length; two++) {
                    CloseNotifyDelay cut = new CloseNotifyDelay();
                    boolean[] owes = {true};
                    cut.delayWhile(() -> owes[0]);
                    EmbeddedChannel each = new EmbeddedChannel(cut);
                    each.writeInbound(Unpooled.copiedBuffer(all, 0, one));
                    each.writeInbound(Unpooled.copiedBuffer(all, one, two - one));
                    each.writeInbound(Unpooled.copiedBuffer(all, two, all.length - two));
                    assertThat(drained(each)).isEqualTo(all.length - word.length + 5);
                    owes[0] = false;
                    each.flushOutbound();
                    each.runPendingTasks();
                    assertThat(drained(each)).isEqualTo(word.length - 5);
                    each.finishAndReleaseAll();
                }
            }
        }
    }

    private static int drained(EmbeddedChannel each) {
        int sum = 0;
        for (ByteBuf part = each.readInbound(); part != null; part = each.readInbound()) {
            sum += part.readableBytes();
            part.release();
        }
        return sum;
    }

    @Test
    void record_behindIt_showsThatItWasNone() {
        in(LAST_WORD, 0, LAST_WORD.length);
        assertThat(passed()).hasSize(5);
        in(DATA, 0, 1);
        in(DATA, 1, DATA.length);
        byte[] all = join(LAST_WORD, DATA);
        assertThat(passed()).isEqualTo(Arrays.copyOfRange(all, 5, all.length));
    }

    @Test
    void nothingOwed_passesAtOnce() {
        owed = false;
        byte[] all = join(DATA, LAST_WORD);
        in(all, 0, all.length);
        assertThat(passed()).isEqualTo(all);
    }

    @Test
    void manyShortRecords_passInOrder_butTheLast() {
        byte[] all = join(
                LAST_WORD,
                LAST_WORD,
                record(23, 0),
                record(22, CloseNotifyDelay.SEALED_ALERT),
                LAST_WORD);
        in(all, 0, all.length);
        assertThat(passed())
                .isEqualTo(Arrays.copyOf(all, all.length - CloseNotifyDelay.SEALED_ALERT));
        owed = false;
        channel.pipeline().fireChannelReadComplete();
        assertThat(passed()).hasSize(CloseNotifyDelay.SEALED_ALERT);
    }

    @Test
    void writability_mayBeWhatWasWaitedFor() {
        in(LAST_WORD, 0, LAST_WORD.length);
        passed();
        owed = false;
        channel.pipeline().fireChannelWritabilityChanged();
        assertThat(passed()).hasSize(CloseNotifyDelay.SEALED_ALERT);
    }

    @Test
    void closedMeanwhile_isReleased() {
        in(LAST_WORD, 0, LAST_WORD.length);
        passed();
        channel.close();
        assertThat(passed()).isEmpty();
    }
}
