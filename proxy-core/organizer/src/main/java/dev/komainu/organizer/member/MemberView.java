package dev.komainu.organizer.member;

import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.MemberForecast;
import dev.komainu.organizer.route.MemberLoad;
import org.jspecify.annotations.Nullable;

/**
 * A member as this one sees it.
 *
 * @param self whether it is this one
 * @param coordinator whether it leads the group
 * @param report what it reported last; absent before
 * @param forecast what is to be expected of it now
 */
public record MemberView(
        Announcement announcement,
        boolean self,
        boolean coordinator,
        boolean flaps,
        @Nullable MemberLoad report,
        MemberForecast forecast) {}
