package dev.komainu.organizer.line.quic;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Initial packets with forged addresses: none of them may cost a handshake. */
class RetryTokensTest {

    private static final InetSocketAddress PEER = new InetSocketAddress("192.0.2.7", 4000);
    private static final byte[] ID = {1, 2, 3, 4, 5, 6, 7, 8};

    private final AtomicInteger handshakes = new AtomicInteger(2);
    private final AtomicLong millis = new AtomicLong(1_000_000);
    private final RetryTokens tokens =
            new RetryTokens(RetryTokens.key(), handshakes, 2, millis::get);

    private ByteBuf token() {
        ByteBuf token = Unpooled.buffer();
        assertThat(tokens.writeToken(token, Unpooled.wrappedBuffer(ID), PEER)).isTrue();
        assertThat(token.readableBytes()).isLessThanOrEqualTo(tokens.maxTokenLength());
        return token;
    }

    @Test
    void tokens_areNeededFromTheLimitOn() {
        token();
        handshakes.set(1);
        ByteBuf none = Unpooled.buffer();
        assertThat(tokens.writeToken(none, Unpooled.wrappedBuffer(ID), PEER)).isFalse();
        assertThat(none.isReadable()).isFalse();
    }

    @Test
    void token_fromItsAddress_leadsToTheConnectionId() {
        ByteBuf token = token();
        millis.addAndGet(15_000);
        int position = tokens.validateToken(token, PEER);
        assertThat(token.slice(position, token.readableBytes() - position))
                .isEqualTo(Unpooled.wrappedBuffer(ID));
    }

    @Test
    void token_fromAnotherAddressOrPort_isInvalid() {
        assertThat(tokens.validateToken(token(), new InetSocketAddress("192.0.2.8", 4000)))
                .isEqualTo(-1);
        assertThat(tokens.validateToken(token(), new InetSocketAddress("192.0.2.7", 4001)))
                .isEqualTo(-1);
    }

    @Test
    void token_tooOld_orOfAnotherProcess_isInvalid() {
        ByteBuf token = token();
        RetryTokens other = new RetryTokens(RetryTokens.key(), handshakes, 2, millis::get);
        assertThat(other.validateToken(token, PEER)).isEqualTo(-1);
        millis.addAndGet(15_001);
        assertThat(tokens.validateToken(token, PEER)).isEqualTo(-1);
    }

    @Test
    void token_withAnyByteChanged_orCut_isInvalid() {
        ByteBuf token = token();
        for (int i = 0; i < token.readableBytes(); i++) {
            ByteBuf changed = token.copy();
            changed.setByte(i, changed.getByte(i) ^ 1);
            assertThat(tokens.validateToken(changed, PEER)).as("byte %d", i).isEqualTo(-1);
            assertThat(tokens.validateToken(token.slice(0, i), PEER)).isEqualTo(-1);
        }
        assertThat(tokens.validateToken(Unpooled.buffer().writeZero(500), PEER)).isEqualTo(-1);
    }
}
