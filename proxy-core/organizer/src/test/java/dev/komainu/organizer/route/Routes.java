package dev.komainu.organizer.route;

import java.util.Arrays;
import java.util.List;

/** Announcements for tests: member {@code m} with its line at port 1. */
final class Routes {

    private Routes() {}

    static ServedRoute route(String prefix) {
        return new ServedRoute(UrlPrefix.parse(prefix), 1, 1, false, "");
    }

    static ServedRoute route(String prefix, String content) {
        return new ServedRoute(UrlPrefix.parse(prefix), 1, 1, false, content);
    }

    static ServedRoute withWeight(String prefix, int weight) {
        return route(prefix).withWeight(weight);
    }

    static ServedRoute cache(String prefix, int weight) {
        return new ServedRoute(UrlPrefix.parse(prefix), weight, 1, true, "");
    }

    static Announcement announced(String member, ServedRoute... routes) {
        return announced(member, 1, routes);
    }

    static Announcement announced(String member, long incarnation, ServedRoute... routes) {
        MemberId id = new MemberId(member);
        return new Announcement(
                id,
                incarnation,
                1,
                new LineEndpoint("127.0.0.1", 1, id),
                false,
                Arrays.asList(routes));
    }

    static Announcement draining(Announcement a) {
        return new Announcement(
                a.member(), a.incarnation(), a.version() + 1, a.line(), true, a.routes());
    }

    static List<String> names(List<Candidate> candidates) {
        return candidates.stream().map(candidate -> candidate.member().text()).toList();
    }
}
