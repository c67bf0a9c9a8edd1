package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Tests of the reader of {@code security}: a reader that accepts too much would accept any
 * behaviour of the service.
 */
class ContractRolesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]                                           |         |         | true",
                "[{ session: [] }]                            |         |         | false",
                "[{ session: [] }]                            | session |         | true",
                "[{ session: [] }]                            | bearer  | read    | false",
                "[{ session: [read] }, { bearer: [read] }]    | session | read    | true",
                "[{ session: [read] }, { bearer: [read] }]    | bearer  | read    | true",
                "[{ session: [read] }, { bearer: [read] }]    | bearer  | write   | false",
                "[{ session: [read] }, { bearer: [read] }]    | session |         | false",
                "[{ bearer: [read] }]                         | session | read    | false",
                "[{ bearer: [read] }, { bearer: [write] }]    | bearer  | write   | true",
                "[{ bearer: [read, write] }]                  | bearer  | write   | false",
            })
    void accepts_oneAlternative_isEnough(
            String security, String scheme, String scope, boolean accepted) {
        var caller = new ContractRoles.Caller(
                "caller", scheme, scope == null ? Set.of() : Set.of(scope));

        assertThat(contract("security: " + security).accepts("GET", "/thing", caller))
                .isEqualTo(accepted);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "summary: x                                   | absent",
                "security: [{ bearer: [raed] }]               | not declared",
                "security: [{ baerer: [read] }]               | not declared",
                "security: [{}]                               | one scheme",
                "security: [{ session: [], bearer: [] }]      | one scheme",
            })
    void accepts_unclearOperation_isRefused(String operation, String named) {
        var stranger = new ContractRoles.Caller("stranger", null, Set.of());

        assertThatThrownBy(() -> contract(operation).accepts("GET", "/thing", stranger))
                .hasMessageContaining("GET /thing")
                .hasMessageContaining(named);
    }

    @Test
    void roles_areReadWithTheirScopes() {
        assertThat(contract("security: []").roles())
                .containsOnlyKeys("reader", "writer")
                .containsEntry("writer", Set.of("read", "write"));
    }

    private static ContractRoles contract(String operation) {
        return new ContractRoles(YAMLMapper.builder().build().readTree("""
                paths: { /thing: { get: { %s } } }
                components:
                  securitySchemes: { session: {}, bearer: {} }
                  x-scopes: { read: r, write: w }
                  x-roles: { reader: [read], writer: [read, write] }
                """.formatted(operation)));
    }
}
