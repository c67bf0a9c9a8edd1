package dev.komainu.central.api.order;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.order.OrderRecord;
import dev.komainu.central.order.Orders;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code Order} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record OrderView(
        String id,
        Instant at,
        Instant expires,
        String by,
        String node,
        String service,
        String title,
        String setting,
        String before,
        String after,
        List<CompanionView> companions,
        String then,
        @Nullable String adviceId,
        @Nullable String rollbackOf,
        String state,
        @Nullable String reason,
        @Nullable String detail,
        @Nullable String file,
        boolean restored,
        @Nullable Instant begun,
        @Nullable Instant ended,
        @Nullable String changeId,
        boolean canBeUndone) {

    static OrderView of(OrderRecord order) {
        var wish = order.wish();
        return new OrderView(
                Long.toString(order.id()),
                order.at(),
                order.expires(),
                order.by(),
                order.node(),
                wish.service(),
                wish.title(),
                String.valueOf(wish.setting()),
                String.valueOf(wish.before()),
                String.valueOf(wish.after()),
                order.companions().stream()
                        .map(companion -> new CompanionView(
                                companion.setting(), companion.expected(), companion.wanted()))
                        .toList(),
                order.consequence().name().toLowerCase(Locale.ROOT),
                wish.adviceId(),
                order.rollbackOf() == null ? null : Long.toString(order.rollbackOf()),
                order.state().label(),
                order.reason(),
                order.detail(),
                order.file(),
                order.restored(),
                order.begun(),
                order.ended(),
                order.changeId() == null ? null : Long.toString(order.changeId()),
                order.canBeUndone());
    }

    /** Another value of the same file that changes together with the order's own. */
    record CompanionView(String setting, String before, String after) {}

    /** The expected effect of an order. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record ProspectView(
            String service,
            String setting,
            @Nullable String current,
            @Nullable String place,
            String then,
            @Nullable String node,
            @Nullable String obstacle) {

        static ProspectView of(Orders.Prospect prospect) {
            return new ProspectView(
                    prospect.service(),
                    prospect.setting(),
                    prospect.current(),
                    prospect.place(),
                    prospect.consequence().name().toLowerCase(Locale.ROOT),
                    prospect.node(),
                    prospect.obstacle());
        }
    }
}
