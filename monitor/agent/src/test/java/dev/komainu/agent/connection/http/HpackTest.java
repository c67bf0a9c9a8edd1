package dev.komainu.agent.connection.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The examples of RFC 7541 Appendix C, and random input. */
class HpackTest {

    private final HpackTable table = new HpackTable();
    private final HpackBlock block = new HpackBlock();

    @Test
    void requestsWithHuffman_C4() {
        read("828684418cf1e3c2e5f23a6ba0ab90f4ff");
        assertThat(method() + path()).isEqualTo("GET/");
        read("828684be5886a8eb10649cbf");
        assertThat(method() + path()).isEqualTo("GET/");
        read("828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf");
        assertThat(path()).isEqualTo("/index.html");
        assertThat(table.has(61 + 3)).isTrue();
        assertThat(table.has(61 + 4)).isFalse();
    }

    @Test
    void responsesWithEviction_C6() {
        assertThat(table.resize(256)).isTrue();
        read(
                "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3");
        assertThat(block.status).isEqualTo(302);
        read("4883640effc1c0bf");
        assertThat(block.status).isEqualTo(307);
        read(
                "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960"
                        + "d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007");
        assertThat(block.status).isEqualTo(200);
        assertThat(table.has(61 + 3)).isTrue();
        assertThat(table.has(61 + 4)).isFalse();
    }

    @Test
    void queryOfAPath_isNotKept() {
        read("82" + "04" + "0b"
                + HexFormat.of().formatHex("/a?token=42".getBytes(StandardCharsets.US_ASCII)));
        assertThat(path()).isEqualTo("/a");
    }

    @Test
    void afterALostBlock_newEntriesAreKnownAgain_oldOnesAreNot() {
        read("828684418cf1e3c2e5f23a6ba0ab90f4ff");
        table.clear();
        assertThat(block.read(HexFormat.of().parseHex("82be"), 0, 2, table)).isFalse();
        read("82" + "44" + "02"
                + HexFormat.of().formatHex("/x".getBytes(StandardCharsets.US_ASCII)));
        read("82be");
        assertThat(path()).isEqualTo("/x");
    }

    @Property(tries = 2_000)
    void anyBytes_nothingIsThrown(@ForAll byte[] bytes) {
        HpackTable own = new HpackTable();
        for (int i = 0; i < 3; i++) {
            block.read(bytes, 0, bytes.length, own);
        }
    }

    private void read(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertThat(block.read(bytes, 0, bytes.length, table)).isTrue();
    }

    private String method() {
        return new String(block.method, 0, block.methodLength, StandardCharsets.US_ASCII);
    }

    private String path() {
        return new String(block.path, 0, block.pathLength, StandardCharsets.US_ASCII);
    }
}
