package dev.komainu.organizer.member;

import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.MemberLoad;

/** What members tell each other. */
sealed interface Message {

    /** A member's routes: to all when they change, to newcomers, and to whoever asks. */
    record Announced(Announcement announcement) implements Message {}

    /** How a member does: to all, once a second while it changes. */
    record Reported(MemberLoad report) implements Message {}

    /** A member goes, by itself: so its end is no fault. */
    record Farewell(MemberId member, long incarnation) implements Message {}

    /** Tell me your announcement: I missed it. */
    record Ask() implements Message {}

    /** How far are you? @param sentNanos of the asker's clock; comes back as it is */
    record Ping(long sentNanos) implements Message {}

    record Pong(long sentNanos) implements Message {}
}
