package dev.komainu.organizer.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jgroups.Address;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;

/** Members whose silence is not a crash. */
class NewMembersTest {

    private final AtomicLong nanos = new AtomicLong();
    private final NewMembers newcomers = new NewMembers(nanos::get);
    private final Address old = UUID.randomUUID();
    private final Address fresh = UUID.randomUUID();

    @Test
    void newcomer_isExcusedForFiveSeconds_othersAreNot() {
        newcomers.view(List.of(old, fresh), Set.of(old)::contains);
        assertThat(newcomers.isExcused(old)).isFalse();
        assertThat(newcomers.isExcused(fresh)).isTrue();
        nanos.set(TimeUnit.MILLISECONDS.toNanos(NewMembers.EXCUSED_MILLIS));
        assertThat(newcomers.isExcused(fresh)).isFalse();
    }

    @Test
    void newcomer_afterItsFirstMessage_isNotExcused() {
        newcomers.view(List.of(old, fresh), Set.of(old)::contains);
        newcomers.received(fresh);
        assertThat(newcomers.isExcused(fresh)).isFalse();
    }

    @Test
    void nextView_doesNotExtendTheExcuse_andRemovesMembersThatLeft() {
        newcomers.view(List.of(old, fresh), Set.of(old)::contains);
        nanos.set(TimeUnit.SECONDS.toNanos(4));
        newcomers.view(List.of(old, fresh, UUID.randomUUID()), Set.of(old)::contains);
        nanos.set(TimeUnit.SECONDS.toNanos(5));
        assertThat(newcomers.isExcused(fresh)).isFalse();
        newcomers.view(List.of(old), Set.of(old)::contains);
        newcomers.view(List.of(old, fresh), Set.of(old)::contains);
        assertThat(newcomers.isExcused(fresh)).as("he came again").isTrue();
    }
}
