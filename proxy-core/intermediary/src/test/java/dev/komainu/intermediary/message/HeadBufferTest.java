package dev.komainu.intermediary.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class HeadBufferTest {

    @Test
    void add_piecesBeyondTheCapacity_growsAndKeepsThem() {
        HeadBuffer out = new HeadBuffer(1);
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            out.add("né ").add(Ascii.bytes("bytes")).add(':').decimal(i).end();
            expected.append("né bytes:").append(i).append("\r\n");
        }
        assertThat(new String(out.toArray(), StandardCharsets.ISO_8859_1))
                .isEqualTo(expected.toString());
        assertThat(out.length()).isEqualTo(expected.length());
    }

    @Test
    void field_asItWasRead_isWrittenAnew() {
        byte[] source = Ascii.bytes("X-One:   a b \r\nX-Two:\r\n\r\n");
        Fields fields = new Fields();
        assertThat(fields.scan(source, 0, source.length)).isEqualTo(source.length);
        ByteBuf written = Unpooled.buffer();
        HeadBuffer out = new HeadBuffer(0);
        out.field(fields, 0).field(fields, 1).writeTo(written);
        assertThat(written.toString(StandardCharsets.ISO_8859_1))
                .isEqualTo("X-One: a b\r\nX-Two: \r\n");
        written.release();
    }

    @Property
    void decimal_anyNumber_readsAsThatNumber(@ForAll @LongRange(min = 0) long number) {
        assertThat(new String(
                        new HeadBuffer(0).decimal(number).toArray(), StandardCharsets.ISO_8859_1))
                .isEqualTo(Long.toString(number));
    }

    /** Compares the fast parser of dates with the general one. */
    @Property
    void date_anyFixdate_isReadAlikeBothWays(
            @ForAll @IntRange(max = 9999) int year,
            @ForAll @IntRange(max = 13) int month,
            @ForAll @IntRange(max = 32) int day,
            @ForAll @IntRange(max = 25) int hour,
            @ForAll @IntRange(max = 61) int second) {
        String name =
                "XxxJanFebMarAprMayJunJulAugSepOctNovDecfeb".substring(month * 3, month * 3 + 3);
        String text = String.format(
                Locale.ROOT, "Tue, %02d %s %04d %02d:59:%02d GMT", day, name, year, hour, second);
        assertThat(HttpDate.parse(text)).as(text).isEqualTo(HttpDate.parse(text, 2026));
    }
}
