package dev.komainu.organizer.member;

import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.MemberForecast;
import dev.komainu.organizer.route.MemberLoad;
import org.jspecify.annotations.Nullable;

/**
 * A member as this member sees it.
 *
 * @param self whether it is this member
 * @param coordinator whether it is the group's coordinator
 * @param flaps whether it joins and leaves too often
 * @param report its last report; absent before the first
 * @param forecast the forecast of its service now
 */
public record MemberView(
        Announcement announcement,
        boolean self,
        boolean coordinator,
        boolean flaps,
        @Nullable MemberLoad report,
        MemberForecast forecast) {}
