package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.union.LeftOutReason;
import dev.komainu.central.union.SeenViews;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code SourceViews} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record ViewsOfSources(
        String relation,
        boolean estimated,
        long connections,
        List<Share> sources,
        List<Missing> missing,
        long late,
        long withoutParts,
        long withoutRoom,
        long ahead,
        long setBack) {

    /** One source's share; null while there are too few connections. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Share(
            String source,
            @Nullable Double share,
            @Nullable Double alone,
            @Nullable Double error) {}

    /** A source that is waited for no longer. */
    record Missing(String source, Instant lastSecond, long seconds) {}

    static @Nullable ViewsOfSources of(@Nullable SeenViews views) {
        if (views == null) {
            return null;
        }
        return new ViewsOfSources(
                views.relation().name().toLowerCase(Locale.ROOT),
                views.sampled(),
                views.connections(),
                views.views().stream().map(view -> share(views, view)).toList(),
                views.missing().stream()
                        .map(each -> new Missing(
                                each.source(),
                                Instant.ofEpochSecond(each.lastSecond()),
                                each.seconds()))
                        .toList(),
                views.leftOut(LeftOutReason.LATE),
                views.leftOut(LeftOutReason.WITHOUT_PARTS),
                views.leftOut(LeftOutReason.WITHOUT_ROOM),
                views.leftOut(LeftOutReason.AHEAD),
                views.leftOut(LeftOutReason.SET_BACK));
    }

    private static Share share(SeenViews views, SeenViews.View view) {
        double share = views.share(view);
        return Double.isNaN(share)
                ? new Share(view.source(), null, null, null)
                : new Share(
                        view.source(),
                        share,
                        (double) view.alone() / views.connections(),
                        views.error(view));
    }
}
