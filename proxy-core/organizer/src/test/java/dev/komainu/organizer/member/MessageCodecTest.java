package dev.komainu.organizer.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.LineEndpoint;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.MemberLoad;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.ServerState;
import dev.komainu.organizer.route.UrlPrefix;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class MessageCodecTest {

    private static final MemberId WEB1 = new MemberId("web1");
    private static final List<Message> ALL = List.of(
            new Message.Announced(new Announcement(
                    WEB1,
                    1_790_000_000_000L,
                    3,
                    new LineEndpoint("2001:db8::1", 65_535, WEB1),
                    true,
                    List.of(
                            new ServedRoute(UrlPrefix.parse("*/"), 0, 1, false, ""),
                            new ServedRoute(
                                    UrlPrefix.parse("h:81/x"), 1000, 1_000_000, true, "v1")))),
            new Message.Reported(new MemberLoad(
                    WEB1,
                    1,
                    2,
                    3,
                    4,
                    5,
                    Long.MAX_VALUE,
                    7,
                    ServerState.SATURATED,
                    Map.of(new MemberId("b"), 8L))),
            new Message.Farewell(WEB1, 9),
            new Message.Ask(),
            new Message.Ping(-1),
            new Message.Pong(Long.MIN_VALUE));

    @Test
    void read_whatWasWritten_same() throws Exception {
        for (Message message : ALL) {
            byte[] body = MessageCodec.body(message);
            MessageCodec.Decoded read =
                    MessageCodec.read(MessageCodec.message(body, "a grant", new byte[] {1, 2}));
            assertThat(read.message()).isEqualTo(message);
            assertThat(read.signed()).isEqualTo(body);
            assertThat(read.grant()).isEqualTo("a grant");
            assertThat(read.signature()).containsExactly(1, 2);
        }
    }

    @Test
    void read_truncated_reportsThePosition() {
        for (Message message : ALL) {
            byte[] whole = MessageCodec.message(MessageCodec.body(message), "", new byte[0]);
            for (int length = 0; length < whole.length; length++) {
                byte[] cut = Arrays.copyOf(whole, length);
                assertThatThrownBy(() -> MessageCodec.read(cut))
                        .isInstanceOf(MalformedMessageException.class)
                        .hasMessageStartingWith("Malformed message at byte ");
            }
            byte[] longer = Arrays.copyOf(whole, whole.length + 1);
            assertThatThrownBy(() -> MessageCodec.read(longer))
                    .hasMessageContaining("1 bytes more (expected: the end)");
        }
    }

    @Test
    void read_otherVersionKindOrState_isNamed() {
        assertThatThrownBy(() -> MessageCodec.read(new byte[] {2, 3}))
                .hasMessage("Malformed message at byte 0: version 2 (expected: 1)");
        assertThatThrownBy(() -> MessageCodec.read(new byte[] {1, 9}))
                .hasMessage("Malformed message at byte 1: kind 9 (expected: 1 to 6)");
    }

    @Property(tries = 500)
    void read_spoilt_isAMessageOrATypedError(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] bytes = MessageCodec.message(
                MessageCodec.body(ALL.get(random.nextInt(ALL.size()))), "grant", new byte[] {1, 2, 3
                });
        for (int i = 0; i < 1 + random.nextInt(4); i++) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        try {
            assertThat(MessageCodec.read(bytes).message()).isNotNull();
        } catch (MalformedMessageException e) {
            assertThat(e).hasMessageStartingWith("Malformed message at byte ");
        }
    }

    @Test
    void statesOfServers_keepTheirPositionsOnTheWire() {
        assertThat(ServerState.values())
                .startsWith(ServerState.UP, ServerState.SATURATED, ServerState.STOPPED);
    }
}
