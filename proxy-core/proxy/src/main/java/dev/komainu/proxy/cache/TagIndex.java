package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.Labels;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which stored responses carry a label ({@link Labels}).
 *
 * <pre>
 *   "sale" → Tag | members: r7 r2 r9 … |        a response knows its place in each of its tags, so it leaves
 *                            ^ place 1          by letting the last member take its place: no search
 * </pre>
 *
 * A response is filed before it enters the cache and struck out by the cache's removal listener, so
 * whatever is in the cache is found here. Responses without labels are never seen here and cost one
 * empty reference. Safe for all threads: each tag is its own lock, held for a few steps.
 */
public final class TagIndex {

    /**
     * Charged for a label: the tag, its name's header and its node in the map, the place in both
     * arrays.
     */
    private static final int LABEL_BYTES = 152;

    private final ConcurrentHashMap<String, Tag> tags = new ConcurrentHashMap<>();

    /** One label and who carries it. */
    static final class Tag {
        private static final StoredRepresentation[] NOBODY = new StoredRepresentation[0];

        final String name;
        // Guarded by this.
        private StoredRepresentation[] members = NOBODY;
        private int count;
        private boolean gone;

        Tag(String name) {
            this.name = name;
        }

        /**
         * @return false when this tag was left by its last member: take the new one of that name
         */
        private synchronized boolean enter(
                Membership member, int at, StoredRepresentation response) {
            if (gone) {
                return false;
            }
            if (count == members.length) {
                members = Arrays.copyOf(members, Math.max(1, count * 2));
            }
            member.tags[at] = this;
            member.places[at] = count;
            members[count++] = response;
            return true;
        }

        /** @return whether nobody is left */
        private synchronized boolean leave(Membership member, int at) {
            int place = member.places[at];
            if (place < 0) {
                return false;
            }
            member.places[at] = Membership.NOWHERE;
            StoredRepresentation last = members[--count];
            members[place] = last;
            members[count] = null;
            if (place < count) {
                last.membership().moved(this, place);
            }
            if (count < members.length / 4) {
                members = Arrays.copyOf(members, members.length / 2);
            }
            gone = count == 0;
            return gone;
        }

        private synchronized StoredRepresentation[] members() {
            return Arrays.copyOf(members, count);
        }

        private synchronized int size() {
            return count;
        }
    }

    /** A response's labels, and where it stands in each; places are guarded by their tag. */
    static final class Membership {
        private static final int NOWHERE = -1;

        /** Each its own until {@link TagIndex#file} puts the shared one in its place. */
        private final Tag[] tags;

        private final int[] places;

        private Membership(List<String> labels) {
            tags = labels.stream().distinct().map(Tag::new).toArray(Tag[]::new);
            places = new int[tags.length];
            Arrays.fill(places, NOWHERE);
        }

        static @Nullable Membership of(List<String> labels) {
            return labels.isEmpty() ? null : new Membership(labels);
        }

        private void moved(Tag tag, int place) {
            for (int i = 0; i < tags.length; i++) {
                if (tags[i] == tag) {
                    places[i] = place;
                    return;
                }
            }
        }

        boolean carries(String label) {
            for (Tag tag : tags) {
                if (tag.name.equals(label)) {
                    return true;
                }
            }
            return false;
        }

        List<String> labels() {
            return Arrays.stream(tags).map(tag -> tag.name).toList();
        }

        /**
         * As if each label were this response's own: shared ones cost less, so the cap holds
         * whatever the sharing.
         */
        int footprint() {
            int sum = 48;
            for (Tag tag : tags) {
                sum += LABEL_BYTES + tag.name.length();
            }
            return sum;
        }
    }

    /** Adds a response under each of its labels. */
    public void file(StoredRepresentation response) {
        Membership member = response.membershipOrNull();
        if (member == null) {
            return;
        }
        for (int i = 0; i < member.tags.length; i++) {
            // A tag found here may have been left this moment: its last member takes it out of the
            // map right after.
            while (!tags.computeIfAbsent(member.tags[i].name, Tag::new)
                    .enter(member, i, response)) {
                Thread.onSpinWait();
            }
        }
    }

    /** Takes a response out from under its labels; does nothing for one that is not filed. */
    public void strike(StoredRepresentation response) {
        Membership member = response.membershipOrNull();
        if (member == null) {
            return;
        }
        for (int i = 0; i < member.tags.length; i++) {
            Tag tag = member.tags[i];
            if (tag.leave(member, i)) {
                tags.remove(tag.name, tag);
            }
        }
    }

    /** Who carries this label now. */
    public List<StoredRepresentation> carriers(String label) {
        Tag tag = tags.get(label);
        return tag == null ? List.of() : List.of(tag.members());
    }

    /** How many carry it. */
    public int count(String label) {
        Tag tag = tags.get(label);
        return tag == null ? 0 : tag.size();
    }

    /** Distinct labels now. */
    public int size() {
        return tags.size();
    }
}
