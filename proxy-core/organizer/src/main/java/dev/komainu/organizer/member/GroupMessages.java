package dev.komainu.organizer.member;

import java.io.DataInput;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jgroups.Message;
import org.jgroups.MessageFactory;
import org.jgroups.ObjectMessage;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.util.Digest;
import org.jgroups.util.MutableDigest;
import org.jgroups.util.SeqnoList;
import org.jgroups.util.SizeStreamable;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a member accepts from the group: bytes, messages without content, and the kinds
 * of objects with which JGroups asks for lost messages (NAKACK2 and UNICAST3: {@link SeqnoList};
 * STABLE: {@link Digest} and {@link MutableDigest}). All other types are refused while they are
 * parsed, with the message or batch that contains them.
 *
 * <p>JGroups would create an object of any class that a message names, and deserialize it with
 * Java's serialization, before this member's code checks who sent it. The option
 * {@code jdk.serialFilter} of the launcher forbids the second a second time.
 *
 * <p>JGroups has one table of message types per process, so the count is of the process as well.
 */
public final class GroupMessages extends MessageFactory {

    private static final LongAdder REFUSED = new LongAdder();
    private static final Set<Class<?>> OBJECTS =
            Set.of(SeqnoList.class, Digest.class, MutableDigest.class);

    private GroupMessages() {}

    /** Restricts the types of this process. May be called again. */
    static void restrict() {
        for (short type = 0; type < creators.length; type++) {
            short refused = type;
            switch (type) {
                case Message.BYTES_MSG, Message.EMPTY_MSG -> {
                    // as they are
                }
                case Message.OBJ_MSG -> creators[type] = KnownObjectMessage::new;
                default ->
                    creators[type] = () -> {
                        throw refused("type " + refused);
                    };
            }
        }
    }

    /** Returns the number of messages and batches refused by their type, in this process. */
    public static long refused() {
        return REFUSED.sum();
    }

    private static IllegalArgumentException refused(String what) {
        REFUSED.increment();
        return new IllegalArgumentException("Message of a member: " + what
                + " (expected: bytes, none, or numbers of lost messages)");
    }

    /** A received message with an object that JGroups' own protocols send. */
    static final class KnownObjectMessage extends ObjectMessage {

        @Override
        public Supplier<Message> create() {
            return KnownObjectMessage::new;
        }

        /** Reads the format of {@code Util.writeSizeStreamable}. */
        @Override
        public void readPayload(DataInput in) throws IOException, ClassNotFoundException {
            if (in.readByte() != 0) {
                SizeStreamable object = known(in.readShort());
                object.readFrom(in);
                setObject(object);
            }
        }

        private static SizeStreamable known(short number) throws ClassNotFoundException {
            @Nullable
            Object created = OBJECTS.stream()
                            .anyMatch(known -> ClassConfigurator.getMagicNumber(known) == number)
                    ? ClassConfigurator.create(number)
                    : null;
            if (created instanceof SizeStreamable object) {
                return object;
            }
            throw refused("object of class " + number);
        }
    }
}
