package dev.komainu.central.alert;

import dev.komainu.central.cluster.ClusterState;
import dev.komainu.central.indices.LocalizedText;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/** The observations of clusters and their members. */
final class ClusterObserver {

    static final String SETTLED = "settled";

    private static final String PARTED = "parted";
    private static final String CONTESTED = "contested";
    private static final String FLAPPING = "flapping";
    private static final int MOST_NAMED = 5;

    private ClusterObserver() {}

    static void observe(ClusterState cluster, Instant now, List<Observation> all) {
        Instant parted = cluster.partedSince();
        all.add(observation(
                AlertKind.CLUSTER_PARTED,
                cluster.name(),
                parted != null ? PARTED : SETTLED,
                cluster.fresh(),
                parted != null ? parted : now,
                parted(cluster)));
        all.add(observation(
                AlertKind.CLUSTER_CONFLICT,
                cluster.name(),
                cluster.conflicts().isEmpty() ? SETTLED : CONTESTED,
                cluster.fresh(),
                now,
                contested(cluster)));
        for (ClusterState.Member member : cluster.members()) {
            all.add(observation(
                    AlertKind.MEMBER_FLAPPING,
                    cluster.name() + "/" + member.name(),
                    member.flapping() ? FLAPPING : SETTLED,
                    cluster.fresh(),
                    now,
                    LocalizedText.of(
                            "Member " + member.name() + " of cluster " + cluster.name()
                                    + " is flapping: six or more joins and leaves within a minute",
                            "クラスタ " + cluster.name() + " のメンバー " + member.name()
                                    + " がフラッピングしています:1 分間に参加と離脱が合わせて 6 回以上ありました")));
        }
    }

    private static Observation observation(
            AlertKind kind,
            String subject,
            String state,
            boolean observable,
            Instant since,
            LocalizedText text) {
        return new Observation(
                kind, subject, state, observable, Double.NaN, kind.usual(), since, text, List.of());
    }

    private static LocalizedText parted(ClusterState cluster) {
        String parts = cluster.parts().stream()
                .map(part -> "{" + names(part.reporters()) + "}")
                .collect(Collectors.joining(" "));
        return LocalizedText.of(
                "Members of cluster " + cluster.name() + " have different route tables: " + parts
                        + ". They do not reach each other, and each part routes on its own",
                "クラスタ " + cluster.name() + " のメンバーが異なる経路表を持っています:" + parts
                        + "。互いに到達できず、グループごとに独立してルーティングしています");
    }

    private static LocalizedText contested(ClusterState cluster) {
        String prefixes = cluster.conflicts().stream()
                .limit(MOST_NAMED)
                .map(conflict -> conflict.prefix() + " (" + names(conflict.served()) + " / "
                        + names(conflict.contested()) + ")")
                .collect(Collectors.joining(", "));
        return LocalizedText.of(
                "Members of cluster " + cluster.name()
                        + " declare different contents for one prefix. The first declaration is served: "
                        + prefixes,
                "クラスタ " + cluster.name() + " で同じプレフィックスに異なるコンテンツが宣言されています(先のものを配信中):" + prefixes);
    }

    private static String names(List<String> all) {
        return all.size() <= MOST_NAMED
                ? String.join(", ", all)
                : String.join(", ", all.subList(0, MOST_NAMED)) + ", … (" + all.size() + ")";
    }
}
