package dev.komainu.intermediary.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Bytes that cause no parse are bytes with which a parse would return the same result. */
class HeadProgressTest {

    private static ByteBuf buffer(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    }

    /** Returns the number of parses of a head that arrives one byte at a time. */
    private static int readings(String text) {
        HeadProgress progress = new HeadProgress();
        ByteBuf all = buffer(text);
        int due = 0;
        for (int end = 1; end <= text.length(); end++) {
            if (progress.isDue(all.slice(0, end))) {
                due++;
            }
        }
        return due;
    }

    @Provide
    Arbitrary<String> heads() {
        Arbitrary<String> word = Arbitraries.of(
                "GET",
                "x",
                " ",
                "/",
                "HTTP/1.1",
                "HTTP/1.0",
                "HTTP/2.0",
                "\r\n",
                "\r",
                "\n",
                "Host: a",
                ":",
                ": ",
                "\t",
                "\0",
                "\u007f",
                "\u00e9",
                "\"",
                "Content-Length: 5",
                "\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\n");
        return word.list().ofMaxSize(30).map(words -> String.join("", words));
    }

    @Property(tries = 5000)
    void bytesNotDue_areIncompleteWhenParsed(
            @ForAll("heads") String text, @ForAll("cuts") int cut) {
        RequestHead head = new RequestHead();
        HeadProgress progress = new HeadProgress();
        ByteBuf all = buffer(text);
        for (int end = Math.min(cut, text.length()); end <= text.length(); end++) {
            boolean due = progress.isDue(all.slice(0, end));
            RequestHead.Outcome outcome = head.read(all.slice(0, end));
            assertThat(due || outcome == RequestHead.Outcome.INCOMPLETE)
                    .as("%s at %d of %s", outcome, end, text)
                    .isTrue();
            if (outcome != RequestHead.Outcome.INCOMPLETE) {
                return;
            }
        }
    }

    @Provide
    Arbitrary<Integer> cuts() {
        return Arbitraries.integers().between(1, 40);
    }

    @Test
    void largestHeads_dripped_areReadAFewDozenTimes() {
        assertThat(readings("GET / HTTP/1.1\r\nX: " + "a: b".repeat(7_000))).isLessThan(40);
        assertThat(readings("\r\nGET /" + "a".repeat(16_000))).isLessThan(40);
        assertThat(readings("A".repeat(40_000)))
                .isBetween(7_000, 7_300); // From 32 KB on each byte is due, and rejected.
    }

    @Test
    void fields_beyondTheLimit_areDue() {
        RequestHead head = new RequestHead();
        String text = "GET / HTTP/1.1\r\n" + "X: y\r\n".repeat(Fields.MAX_FIELDS);
        HeadProgress progress = new HeadProgress();
        progress.isDue(buffer(text));
        assertThat(progress.isDue(buffer(text + "X: y\r\n"))).isTrue();
        assertThat(head.read(buffer(text + "X: y\r\n"))).isEqualTo(RequestHead.Outcome.FAULT);
        assertThat(head.fault()).isEqualTo(MessageFault.TOO_MANY_FIELDS);
    }
}
