package dev.komainu.organizer.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class PageRequestHintTest {

    @Property(tries = 500)
    void text_parsed_isTheSame(
            @ForAll @Size(max = 64) List<@LongRange(max = Long.MAX_VALUE) Long> used,
            @ForAll @Size(max = 64) List<@LongRange(max = Long.MAX_VALUE) Long> left,
            @ForAll @Size(max = 64) List<@LongRange(max = Long.MAX_VALUE) Long> held) {
        PageRequestHint word = new PageRequestHint(used, left, held);
        assertThat(PageRequestHint.parse(word.text())).isEqualTo(word);
    }

    @Property(tries = 2000)
    void parse_whatever_neverFails(@ForAll String text) {
        PageRequestHint read = PageRequestHint.parse(text);
        assertThat(read.used().size() + read.unused().size() + read.stored().size())
                .isLessThanOrEqualTo(3 * PageRequestHint.MAX_NUMBERS);
    }

    @Property(tries = 2000)
    void parse_nearlyAHint_hasNoNegativeNumbers(@ForAll("nearly") String text) {
        PageRequestHint read = PageRequestHint.parse(text);
        assertThat(read.used()).allMatch(number -> number >= 0);
        assertThat(read.stored()).allMatch(number -> number >= 0);
    }

    @Provide
    Arbitrary<String> nearly() {
        return Arbitraries.strings().withChars("ulh=;.019azv-").ofMaxLength(60);
    }

    @Test
    void text_ofNothing_isAWordAllTheSame() {
        assertThat(new PageRequestHint(List.of(), List.of(), List.of()).text()).isEqualTo("1");
        assertThat(PageRequestHint.parse("1")).isEqualTo(PageRequestHint.NOTHING);
        assertThat(PageRequestHint.parse(null)).isEqualTo(PageRequestHint.NOTHING);
    }

    @Test
    void text_ofTooMany_holdsTheFirst() {
        List<Long> many = LongStream.range(0, 100).boxed().toList();
        assertThat(PageRequestHint.parse(new PageRequestHint(many, List.of(), List.of()).text())
                        .used())
                .isEqualTo(many.subList(0, PageRequestHint.MAX_NUMBERS));
    }

    @Test
    void number_tooLong_isNone() {
        assertThat(PageRequestHint.number("7vvvvvvvvvvvv")).isEqualTo(Long.MAX_VALUE);
        assertThat(PageRequestHint.number("8000000000000")).isNegative();
        assertThat(PageRequestHint.number("10000000000000")).isNegative();
        assertThat(PageRequestHint.number("w")).isNegative();
        assertThat(PageRequestHint.number("")).isNegative();
    }
}
