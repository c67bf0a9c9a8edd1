package dev.komainu.central.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.komainu.central.access.Role;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.kit.WrittenSettings;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the settings of the login at a provider. */
class OpenIdSettingsTest {

    private static final String ADDRESS = "https://komainu.example";
    private static final List<String> HOSTS = List.of("Komainu.example");

    private static OpenIdSettings read(String yaml) throws SettingMistakesException {
        SettingReader reader = WrittenSettings.reader(yaml);
        OpenIdSettings settings = OpenIdSettings.read(reader, ADDRESS, HOSTS);
        reader.finish();
        return settings;
    }

    private static List<String> mistakes(String yaml, String address, List<String> hosts) {
        SettingReader reader = WrittenSettings.reader(yaml);
        OpenIdSettings unused = OpenIdSettings.read(reader, address, hosts);
        SettingMistakesException found =
                catchThrowableOfType(SettingMistakesException.class, reader::finish);
        return found == null ? List.of() : found.mistakes();
    }

    @Test
    void read_nothing_isOff() throws SettingMistakesException {
        OpenIdSettings settings = read("");

        assertThat(settings.isOn()).isFalse();
        assertThat(settings.localLogin()).isEqualTo(OpenIdSettings.LocalLoginChoice.ON);
    }

    @Test
    void read_all_isOn() throws SettingMistakesException {
        OpenIdSettings settings = read("""
                komainu:
                  oidc:
                    issuer: https://login.example/realms/one
                    client-id: komainu
                    scopes: [openid, profile, groups]
                    roles:
                      - cn=admins,ou=groups=administrator
                      - shop=operator@team=shop,tier=web
                    local-login: administrators
                """);

        assertThat(settings.isOn()).isTrue();
        assertThat(settings.scopes()).containsExactly("openid", "profile", "groups");
        assertThat(settings.roles())
                .containsExactly(
                        new GroupRole("cn=admins,ou=groups", Role.ADMINISTRATOR, null),
                        new GroupRole("shop", Role.OPERATOR, "team=shop,tier=web"));
    }

    @Test
    void read_rolesInOneText_areDividedBySemicolons() throws SettingMistakesException {
        OpenIdSettings settings = read("""
                komainu.oidc.issuer: https://login.example
                komainu.oidc.client-id: komainu
                komainu.oidc.roles: admins=administrator; shop=operator@team=shop,tier=web
                """);

        assertThat(settings.roles()).hasSize(2);
    }

    @Test
    void read_issuerOnly_reportsWhatIsMissing() {
        assertThat(mistakes("komainu.oidc.issuer: https://login.example", ADDRESS, HOSTS))
                .hasSize(2)
                .anyMatch(line -> line.startsWith("komainu.oidc.client-id: none (expected: "))
                .anyMatch(line -> line.startsWith("komainu.oidc.roles: none (expected: "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://login.example",
                "ftp://login.example",
                "login.example",
                "https://user@login.example",
                "https://login.example?a=b",
                "https://login.example#a",
                "http://localhost:4000",
            })
    void read_issuerInClearTextOrNoAddress_isRefused(String issuer) {
        assertThat(mistakes("komainu.oidc.issuer: '" + issuer + "'", ADDRESS, HOSTS))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("komainu.oidc.issuer: " + issuer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://0.0.0.0:7600", "http://[::]:7600", "https://other.example"})
    void read_consoleAddressThatBrowsersCannotUse_isRefused(String address) {
        String right = """
                komainu.oidc.issuer: https://login.example
                komainu.oidc.client-id: komainu
                komainu.oidc.roles: admins=administrator
                """;

        assertThat(mistakes(right, address, HOSTS))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("komainu.alerts.url: " + address + " (expected: ");
        for (String usable : List.of(
                ADDRESS, "http://localhost:7600", "http://127.0.0.1:7600", "https://[::1]:7600")) {
            assertThat(mistakes(right, usable, HOSTS)).isEmpty();
        }
    }

    @Test
    void read_localLoginOffWithoutAProvider_isRefused() {
        assertThat(mistakes("komainu.oidc.local-login: administrators", ADDRESS, HOSTS))
                .hasSize(1);
    }
}
