package dev.komainu.telemetry.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JsonBytesTest {

    private final JsonMapper mapper = new JsonMapper();

    @Property(tries = 500)
    void string_anyCharacters_isReadBack(@ForAll String text) {
        JsonBytes json = new JsonBytes();
        json.open('{');
        json.name("text");
        json.string(text);
        json.close('}');

        // Half a surrogate pair is no character: UTF-8 has no bytes for it.
        String expected = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        assertThat(mapper.readTree(json.text()).get("text").stringValue()).isEqualTo(expected);
    }

    @Property(tries = 500)
    void number_any_isReadBack(@ForAll long number, @ForAll int small) {
        for (long value : new long[] {
            number, small, -small, Long.MIN_VALUE, Long.MAX_VALUE, 0, 10, 9_999_999_999L
        }) {
            JsonBytes json = new JsonBytes();
            json.number(value);
            assertThat(json.text()).isEqualTo(Long.toString(value));
        }
    }

    @Test
    void number_aroundEachPowerOfTen_isReadBack() {
        for (long power = 1; power > 0 && power <= 1_000_000_000_000_000_000L; power *= 10) {
            for (long value = power - 1; value <= power + 1; value++) {
                JsonBytes json = new JsonBytes();
                json.number(value);
                assertThat(json.text()).isEqualTo(Long.toString(value));
            }
        }
    }

    @Test
    void nesting_commasAreBetweenValuesOnly() {
        JsonBytes json = new JsonBytes();
        for (int line = 0; line < 2; line++) {
            json.open('{');
            json.name("a");
            json.open('[');
            json.number(1);
            json.open('{');
            json.close('}');
            json.string("{");
            json.number(2.5);
            json.close(']');
            json.name("b");
            json.number(-3);
            json.close('}');
            json.endLine();
        }

        String line = "{\"a\":[1,{},\"{\",2.5],\"b\":-3}\n";
        assertThat(json.text()).isEqualTo(line + line);
        JsonNode tree = mapper.readTree(line);
        assertThat(tree.size()).isEqualTo(2);
    }
}
