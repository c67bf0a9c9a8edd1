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
                token.createdBy() + " created the token " + token.name() + " (" + token.id()
                        + ") with the scopes " + scopes + " from " + address
                        + ". Revoke it if this was not intended",
                token.createdBy() + " がトークン " + token.name() + "(" + token.id()
                        + ")を作成しました。スコープ:" + scopes + "、アドレス:" + address
                        + "。意図しないものであれば失効させてください");
    }
}
