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

class PageWordTest {

    @Property(tries = 500)
    void text_parsed_isTheSame(
            @ForAll @Size(max = 64) List<@LongRange(max = Long.MAX_VALUE) Long> used,
            @ForAll @Size(max = 64) List<@LongRange(max = Long.MAX_VALUE) Long> left,
            @ForAll @Size(max = 64) List<@LongRange(max = Long.MAX_VALUE) Long> held) {
        PageWord word = new PageWord(used, left, held);
        assertThat(PageWord.parse(word.text())).isEqualTo(word);
    }

    @Property(tries = 2000)
    void parse_whatever_neverFails(@ForAll String text) {
        PageWord read = PageWord.parse(text);
        assertThat(read.used().size() + read.left().size() + read.held().size()).isLessThanOrEqualTo(3 * PageWord.MOST);
    }

    @Property(tries = 2000)
    void parse_nearlyAWord_saysNothingNegative(@ForAll("nearly") String text) {
        PageWord read = PageWord.parse(text);
        assertThat(read.used()).allMatch(number -> number >= 0);
        assertThat(read.held()).allMatch(number -> number >= 0);
    }

    @Provide
    Arbitrary<String> nearly() {
        return Arbitraries.strings().withChars("ulh=;.019azv-").ofMaxLength(60);
    }

    @Test
    void text_ofNothing_isAWordAllTheSame() {
        assertThat(new PageWord(List.of(), List.of(), List.of()).text()).isEqualTo("1");
        assertThat(PageWord.parse("1")).isEqualTo(PageWord.NOTHING);
        assertThat(PageWord.parse(null)).isEqualTo(PageWord.NOTHING);
    }

    @Test
    void text_ofTooMany_holdsTheFirst() {
        List<Long> many = LongStream.range(0, 100).boxed().toList();
        assertThat(PageWord.parse(new PageWord(many, List.of(), List.of()).text())
                        .used())
                .isEqualTo(many.subList(0, PageWord.MOST));
    }

    @Test
    void number_tooLong_isNone() {
        assertThat(PageWord.number("7vvvvvvvvvvvv")).isEqualTo(Long.MAX_VALUE);
        assertThat(PageWord.number("8000000000000")).isNegative();
        assertThat(PageWord.number("10000000000000")).isNegative();
        assertThat(PageWord.number("w")).isNegative();
        assertThat(PageWord.number("")).isNegative();
    }
}
