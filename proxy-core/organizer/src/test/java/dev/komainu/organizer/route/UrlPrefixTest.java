package dev.komainu.organizer.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UrlPrefixTest {

    @Test
    void parse_hostInAnyCase_pathAsWritten() {
        assertThat(UrlPrefix.parse("WWW.Example.com:8080/Shop/"))
                .hasToString("www.example.com:8080/Shop/");
        assertThat(UrlPrefix.parse("no_such_name")).hasToString("no_such_name/");
        assertThat(UrlPrefix.parse("*/x")).hasToString("*/x");
        assertThat(UrlPrefix.parse("[2001:db8::1]:80/")).hasToString("[2001:db8::1]:80/");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://www.example.com/",
                "/shop",
                "",
                "a b/",
                "h/a b",
                "h/?q",
                "-h/",
                "*x/",
                "h/\u00e9"
            })
    void parse_notAPrefix_namesTheExpectedForm(String text) {
        assertThatThrownBy(() -> UrlPrefix.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: HOST/PATH");
    }

    @Test
    void covers_onlyWhatLiesInside() {
        UrlPrefix shop = UrlPrefix.parse("h/shop/");
        assertThat(shop.covers(UrlPrefix.parse("h/shop/cart"))).isTrue();
        assertThat(shop.covers(shop)).isTrue();
        assertThat(shop.covers(UrlPrefix.parse("h/shop"))).isFalse();
        assertThat(shop.covers(UrlPrefix.parse("i/shop/"))).isFalse();
        assertThat(shop.covers(UrlPrefix.parse("*/shop/"))).isFalse();
        assertThat(UrlPrefix.parse("*/").covers(shop)).isTrue();
    }
}
