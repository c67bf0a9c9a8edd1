package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the contract check: it must detect drift and accept matching responses. */
class OpenApiContractTest {

    private final OpenApiContract contract = OpenApiContract.get();

    @Test
    void checkSchema_fittingAnswer_passes() {
        assertThatCode(() -> contract.checkSchema("ChangePage", """
                {"items":[{"id":"1","at":"2026-11-21T00:00:00Z","by":"admin","service":"web:80","title":"t","before":null}],
                 "nextCursor":null}""")).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "User      | {\"name\":\"a\"}                                       | role",
                "User      | {\"name\":\"a\",\"role\":\"king\"}                     | role",
                "User      | {\"name\":\"a\",\"role\":\"viewer\",\"colour\":1}      | colour",
                "User      | {\"name\":\"a\",\"role\":\"viewer\",\"lastLogin\":\"x\"} | date-time",
                "Change    | {\"id\":\"1\",\"at\":\"2026-11-21T00:00:00Z\",\"by\":\"a\",\"service\":\"s\"} | title",
                "Change    | {\"id\":\"1\",\"at\":\"2026-11-21T00:00:00Z\",\"by\":\"a\",\"service\":\"s\",\"title\":\"t\",\"x\":1} | 'x'",
                "ChangePage | {\"items\":[{\"id\":\"1\",\"at\":\"2026-11-21T00:00:00Z\",\"by\":\"a\",\"service\":\"s\",\"title\":\"t\",\"x\":1}]} | 'x'",
            })
    void checkSchema_drift_isDetected(String schema, String body, String named) {
        assertThatThrownBy(() -> contract.checkSchema(schema, body))
                .hasMessageContaining(named.replace("'", ""));
    }
}
