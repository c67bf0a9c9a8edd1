package dev.komainu.central;

import dev.komainu.central.access.LocalLogins;
import dev.komainu.central.oidc.OpenIdAccess;
import dev.komainu.central.oidc.OpenIdLogin;
import dev.komainu.central.oidc.OpenIdSettings;
import dev.komainu.settings.SettingMistakesException;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The login of people at an OpenID provider, where the settings name one. */
@Configuration(proxyBeanMethods = false)
class OpenIdWiring {

    @Bean
    LocalLogins localLogins(OpenIdSettings settings) {
        return new LocalLogins(
                settings.localLogin() == OpenIdSettings.LocalLoginChoice.ADMINISTRATORS);
    }

    @Bean
    OpenIdAccess openIdAccess(OpenIdSettings settings, Clock clock) {
        String issuer = settings.issuer();
        if (issuer == null) {
            return new OpenIdAccess(settings, Optional.empty());
        }
        try {
            return new OpenIdAccess(
                    settings, Optional.of(new OpenIdLogin(settings, issuer, clock)));
        } catch (IOException e) {
            throw new IllegalStateException(
                    new SettingMistakesException(List.of(String.valueOf(e.getMessage()))));
        }
    }
}
