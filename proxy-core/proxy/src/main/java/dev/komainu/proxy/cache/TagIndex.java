package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.Labels;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An index of the stored responses by label ({@link Labels}).
 *
 * <pre>
 *   "sale" → Tag | members: r7 r2 r9 … |    a response knows its place in each of its tags and leaves a tag
 *                           ^ place 1       by moving the last member to its place: no search
 * </pre>
 *
 * A response is added before it enters the cache and removed by the cache's removal listener: each
 * response in the cache is found here. A response without labels costs one null reference.
 * Thread-safe: each tag is its own lock, held for a few steps.
 */
public final class TagIndex {

    /**
     * Bytes charged for a label: the tag, its name's header, its node in the map, the places in
     * both arrays.
     */
    private static final int LABEL_BYTES = 152;

    private final ConcurrentHashMap<String, Tag> tags = new ConcurrentHashMap<>();

    /** One label and the responses that carry it. */
    static final class Tag {
        private static final StoredRepresentation[] NO_RESPONSES = new StoredRepresentation[0];

        final String name;
        // Guarded by this.
        private StoredRepresentation[] members = NO_RESPONSES;
        private int count;
        private boolean removed;

        Tag(String name) {
            this.name = name;
        }

        /**
         * Adds a response. Returns false when the last member has left this tag: the caller must
         * use the new tag of this name.
         */
        private synchronized boolean add(
                Membership member, int index, StoredRepresentation response) {
            if (removed) {
                return false;
            }
            if (count == members.length) {
                members = Arrays.copyOf(members, Math.max(1, count * 2));
            }
            member.tags[index] = this;
            member.places[index] = count;
            members[count++] = response;
            return true;
        }

        /** Removes a response. Returns whether the tag is now empty. */
        private synchronized boolean remove(Membership member, int index) {
            int place = member.places[index];
            if (place < 0) {
                return false;
            }
            member.places[index] = Membership.NOT_LISTED;
            StoredRepresentation last = members[--count];
            members[place] = last;
            members[count] = null;
            if (place < count) {
                last.membership().moved(this, place);
            }
            if (count < members.length / 4) {
                members = Arrays.copyOf(members, members.length / 2);
            }
            removed = count == 0;
            return removed;
        }

        private synchronized StoredRepresentation[] members() {
            return Arrays.copyOf(members, count);
        }

        private synchronized int size() {
            return count;
        }
    }

    /** A response's labels and its place in each tag. The places are guarded by their tags. */
    static final class Membership {
        private static final int NOT_LISTED = -1;

        /**
         * Tags of this response's own until {@link TagIndex#add} replaces each by the shared one.
         */
        private final Tag[] tags;

        private final int[] places;

        private Membership(List<String> labels) {
            tags = labels.stream().distinct().map(Tag::new).toArray(Tag[]::new);
            places = new int[tags.length];
            Arrays.fill(places, NOT_LISTED);
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
         * Returns the bytes charged, as if each label were this response's own. Shared labels cost
         * less, so the limit holds for any sharing.
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
    public void add(StoredRepresentation response) {
        Membership member = response.membershipOrNull();
        if (member == null) {
            return;
        }
        for (int i = 0; i < member.tags.length; i++) {
            // The last member may have left the tag at this moment; its thread removes the tag from
            // the map next.
            while (!tags.computeIfAbsent(member.tags[i].name, Tag::new).add(member, i, response)) {
                Thread.onSpinWait();
            }
        }
    }

    /** Removes a response from its labels. Does nothing for a response that is not in the index. */
    public void remove(StoredRepresentation response) {
        Membership member = response.membershipOrNull();
        if (member == null) {
            return;
        }
        for (int i = 0; i < member.tags.length; i++) {
            Tag tag = member.tags[i];
            if (tag.remove(member, i)) {
                tags.remove(tag.name, tag);
            }
        }
    }

    /** Returns the responses that now carry this label. */
    public List<StoredRepresentation> responsesWith(String label) {
        Tag tag = tags.get(label);
        return tag == null ? List.of() : List.of(tag.members());
    }

    /** Returns the number of responses that carry this label. */
    public int count(String label) {
        Tag tag = tags.get(label);
        return tag == null ? 0 : tag.size();
    }

    /** Returns the number of distinct labels. */
    public int size() {
        return tags.size();
    }
}
