package dev.komainu.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.intermediary.caching.CacheKey;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PriorityRulesTest {

    private static PriorityRules priority(String... prefixes) {
        return new PriorityRules(Stream.of(prefixes).map(PriorityPrefix::parse).toList());
    }

    @ParameterizedTest
    @CsvSource({
        "/news/, a.example/news/today, true",
        "/news/, a.example/news, false",
        "/news, a.example/newsletter, true",
        "/news/**, a.example/news/2026/11/x, true",
        "/news/*, a.example/news/today.html, true",
        "/news/*, a.example/news/, true",
        "/news/*, a.example/news/today?from=/a/b, true",
        "/news/*, a.example/news/2026/today, false",
        "/news/*, a.example/news/today https, true",
        "a.example, a.example/x, true",
        "a.example, a.example/x https, true",
        "a.example, a.example.org/x, false",
        "A.Example:80/Docs/, a.example/Docs/x, true",
        "A.Example:80/Docs/, a.example/docs/x, false",
        "https://a.example/docs/, a.example/docs/x https, true",
        "a.example:8080, a.example:8080/, true",
        "/, anything.example/, true",
        "/*, anything.example/x, true",
        "/*, anything.example/x/y, false",
    })
    void hasPriority_keysWithThePrefix(String prefix, String key, boolean expected) {
        assertThat(priority(prefix).hasPriority(CacheKey.of(key))).isEqualTo(expected);
    }

    @Test
    void hasPriority_variantsWithTheirUri() {
        CacheKey variant = CacheKey.of("a.example/news/today");
        variant.append("7\n=text/html");
        assertThat(priority("/news/*").hasPriority(variant)).isTrue();
        assertThat(priority("/other/").hasPriority(variant)).isFalse();
    }

    @Test
    void hasPriority_byTheWiderOfTwoEqualPrefixes() {
        assertThat(priority("/a/*", "/a/").hasPriority(CacheKey.of("h/a/b/c"))).isTrue();
        assertThat(PriorityRules.NONE.hasPriority(CacheKey.of("h/a"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "/a b", "/*/a", "/a*", "/caf\u00e9/", "http://"})
    void parse_invalid_reportsTheExpectedForm(String text) {
        assertThatThrownBy(() -> PriorityPrefix.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(text + " (expected: /PATH, HOST or HOST/PATH; ");
    }

    @Test
    void written_canBeParsedAgain() {
        for (String text : List.of("/a/*", "/a/", "host.example/", "host.example:81/x/*")) {
            assertThat(PriorityPrefix.parse(text).written()).isEqualTo(text);
        }
    }

    /** A small alphabet, so that prefixes often nest, coincide and diverge. */
    @Provide
    Arbitrary<String> paths() {
        return Arbitraries.strings().withChars("ab/").ofMaxLength(7).map(text -> "/" + text);
    }

    @Property(tries = 2_000)
    void hasPriority_agreesWithACheckOfEachPrefix(
            @ForAll List<@net.jqwik.api.From("paths") String> prefixes,
            @ForAll("paths") String path,
            @ForAll List<Boolean> marks) {
        String[] written = new String[prefixes.size()];
        boolean expected = false;
        for (int i = 0; i < written.length; i++) {
            boolean onHost = !marks.isEmpty() && marks.get(i % marks.size());
            boolean directly = !marks.isEmpty() && marks.get((i + 1) % marks.size());
            String bare = directly ? prefixes.get(i) + "/" : prefixes.get(i);
            written[i] = (onHost ? "h" : "") + bare + (directly ? "*" : "");
            expected |= path.startsWith(bare)
                    && !(directly && path.substring(bare.length()).contains("/"));
        }
        assertThat(priority(written).hasPriority(CacheKey.of("h" + path)))
                .as(() -> path + " under " + Arrays.toString(written))
                .isEqualTo(expected);
    }
}
