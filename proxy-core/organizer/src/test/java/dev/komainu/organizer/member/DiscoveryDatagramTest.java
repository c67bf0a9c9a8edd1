package dev.komainu.organizer.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Discovery datagrams, and bytes that are none. */
class DiscoveryDatagramTest {

    private static final DiscoveryDatagram CALL =
            new DiscoveryDatagram("komainu.shop", new UUID(-1, 2), 65_535, true);

    @Test
    void call_writtenAndRead_isTheSame() throws MalformedMessageException {
        assertThat(DiscoveryDatagram.read(CALL.datagram())).isEqualTo(CALL);
        DiscoveryDatagram longest =
                new DiscoveryDatagram("komainu." + "c".repeat(63), UUID.randomUUID(), 1, false);
        assertThat(DiscoveryDatagram.read(longest.datagram())).isEqualTo(longest);
    }

    @Test
    void call_cutAnywhere_isRefused() {
        ByteBuffer datagram = CALL.datagram();
        for (int length = 0; length < datagram.limit(); length++) {
            ByteBuffer cut = datagram.duplicate().limit(length);
            assertThatThrownBy(() -> DiscoveryDatagram.read(cut))
                    .isInstanceOf(MalformedMessageException.class);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1, byte 0", "4, 2, version 1", "5, 7, 0 or 1", "24, 11, its end", "24, 13, more"
    })
    void call_oneByteOtherwise_isRefusedAndSaysWhere(int position, int value, String expected) {
        ByteBuffer bytes = CALL.datagram().put(position, (byte) value);
        assertThatThrownBy(() -> DiscoveryDatagram.read(bytes))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining(expected);
    }

    @Test
    void call_withoutAPort_orTooLong_isRefused() {
        assertThatThrownBy(() -> DiscoveryDatagram.read(CALL.datagram().putShort(6, (short) 0)))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("a port");
        assertThatThrownBy(() -> DiscoveryDatagram.read(
                        ByteBuffer.allocate(DiscoveryDatagram.MOST_BYTES + 1)))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("its end");
    }
}
