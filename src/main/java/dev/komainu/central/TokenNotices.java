package dev.komainu.central;

import dev.komainu.central.access.ApiToken;
import dev.komainu.central.access.PowerfulTokenCreated;
import dev.komainu.central.access.Scope;
import dev.komainu.central.alert.AlertKeeper;
import dev.komainu.central.alert.AlertKind;
import java.util.Objects;
import java.util.stream.Collectors;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * The notices of new powerful tokens: each is told to all receivers and stands in the history of
 * alerts, so that a token that an intruder made does not stay unseen.
 */
@Component
final class TokenNotices {

    private final AlertKeeper keeper;

    TokenNotices(AlertKeeper keeper) {
        this.keeper = keeper;
    }

    @EventListener
    void created(PowerfulTokenCreated event) {
        ApiToken token = event.token();
        String scopes = token.scopes().stream().map(Scope::text).collect(Collectors.joining(", "));
        String address = Objects.requireNonNullElse(event.origin().address(), "–");
        keeper.report(
                AlertKind.TOKEN_CREATED,
                "New powerful token",
                token.name(),
                "%s created the token %s (%s) with the scopes %s from %s. Revoke it if this was not intended"
                        .formatted(token.createdBy(), token.name(), token.id(), scopes, address),
                "%s がトークン %s(%s)を作成しました。スコープ:%s、アドレス:%s。意図しないものであれば失効させてください"
                        .formatted(token.createdBy(), token.name(), token.id(), scopes, address));
    }
}
