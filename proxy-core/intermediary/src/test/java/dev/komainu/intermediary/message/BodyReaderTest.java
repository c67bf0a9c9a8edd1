package dev.komainu.intermediary.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies whole and divided at every byte; {@code ~} is CRLF. */
class BodyReaderTest {

    private static BodyReader.Outcome feed(
            BodyReader reader, StringBuilder body, String text, int cut) {
        ByteBuf first = Unpooled.copiedBuffer(text.substring(0, cut), StandardCharsets.ISO_8859_1);
        BodyReader.Outcome outcome =
                reader.read(first, s -> body.append(s.toString(StandardCharsets.ISO_8859_1)));
        if (outcome != BodyReader.Outcome.MORE) {
            return outcome;
        }
        ByteBuf rest = Unpooled.wrappedBuffer(
                first, Unpooled.copiedBuffer(text.substring(cut), StandardCharsets.ISO_8859_1));
        return reader.read(rest, s -> body.append(s.toString(StandardCharsets.ISO_8859_1)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5~hello~6~ world~0~~",
                "5;a=b~hello~6;c=\"d\"~ world~000~~",
                "05~hello~06~ world~0~X: trailer~Y: z~~",
                "b~hello world~0;last~~"
            })
    void read_chunked_givesTheBody_howeverCut(String table) {
        String text = table.replace("~", "\r\n");
        for (int cut = 0; cut <= text.length(); cut++) {
            BodyReader reader = new BodyReader();
            reader.beginChunked();
            StringBuilder body = new StringBuilder();
            assertThat(feed(reader, body, text, cut))
                    .as("cut at " + cut)
                    .isEqualTo(BodyReader.Outcome.DONE);
            assertThat(body.toString()).isEqualTo("hello world");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5~hello6~",
                "5~hell~0~~",
                "~hello",
                "g~",
                "-5~hello~",
                "+5~hello~",
                "0x5~hello~",
                " 5~hello~",
                "5 ~hello~",
                "5;\n~hello~",
                "5;a=\0~hello~",
                "5\nhello",
                "5\rhello",
                "1234567890abcdef0~",
                "0~X : y~~",
                "0~ x~~",
                "5~hello\n0~~"
            })
    void read_malformedChunks_areRefused_howeverCut(String table) {
        String text = table.replace("~", "\r\n");
        for (int cut = 0; cut <= text.length(); cut++) {
            BodyReader reader = new BodyReader();
            reader.beginChunked();
            assertThat(feed(reader, new StringBuilder(), text, cut))
                    .as("cut at " + cut)
                    .isEqualTo(BodyReader.Outcome.FAULT);
        }
    }

    @Test
    void read_endlessExtensionOrTrailers_areRefused() {
        BodyReader reader = new BodyReader();
        reader.beginChunked();
        assertThat(feed(reader, new StringBuilder(), "5;" + "x".repeat(2000), 0))
                .isEqualTo(BodyReader.Outcome.FAULT);
        reader.beginChunked();
        assertThat(feed(reader, new StringBuilder(), "0\r\nX: " + "x".repeat(9000), 0))
                .isEqualTo(BodyReader.Outcome.FAULT);
    }

    @Test
    void read_length_leavesTheRestUnread() {
        BodyReader reader = new BodyReader();
        reader.beginLength(3);
        ByteBuf in = Unpooled.copiedBuffer("abcGET", StandardCharsets.US_ASCII);
        assertThat(reader.read(in, s -> {})).isEqualTo(BodyReader.Outcome.DONE);
        assertThat(in.toString(StandardCharsets.US_ASCII)).isEqualTo("GET");
        assertThat(reader.end()).isTrue();
        reader.beginLength(3);
        assertThat(reader.end()).isFalse();
        reader.beginUntilClose();
        assertThat(reader.end()).isTrue();
    }
}
