package dev.komainu.organizer.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.CompositeMessage;
import org.jgroups.EmptyMessage;
import org.jgroups.LongMessage;
import org.jgroups.Message;
import org.jgroups.MessageFactory;
import org.jgroups.NioMessage;
import org.jgroups.ObjectMessage;
import org.jgroups.util.Digest;
import org.jgroups.util.MutableDigest;
import org.jgroups.util.SeqnoList;
import org.jgroups.util.SizeStreamable;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects in messages of a member whose secret was stolen: none of them may come to life. */
class GroupMessagesTest {

    private static final AtomicInteger ALIVE = new AtomicInteger();

    /** An object that Java's serialization brings to life. */
    static final class Serialized implements Serializable {

        private static final long serialVersionUID = 1;

        private void readObject(ObjectInputStream in) {
            ALIVE.incrementAndGet();
        }
    }

    /** An object whose class the message names. */
    public static final class Named implements SizeStreamable {

        public Named() {
            ALIVE.incrementAndGet();
        }

        @Override
        public int serializedSize() {
            return 0;
        }

        @Override
        public void writeTo(DataOutput out) {}

        @Override
        public void readFrom(DataInput in) {}
    }

    @BeforeEach
    void setUp() {
        GroupMessages.restrict();
    }

    private static void refused(Message sent) throws Exception {
        byte[] wire = wire(sent);
        ALIVE.set(0);
        long before = GroupMessages.refused();
        assertThatThrownBy(() -> read(wire)).hasMessageContaining("Message of a member");
        assertThat(ALIVE).hasValue(0);
        assertThat(GroupMessages.refused()).isEqualTo(before + 1);
    }

    private static byte[] wire(Message sent) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(out);
        data.writeShort(sent.getType());
        sent.writeTo(data);
        return out.toByteArray();
    }

    private static Message read(byte[] wire) throws Exception {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(wire));
        Message message = MessageFactory.create(in.readShort());
        message.readFrom(in);
        return message;
    }

    @Test
    void serializedObject_isRefused() throws Exception {
        refused(new ObjectMessage(null, (Object) new Serialized()));
    }

    @Test
    void objectOfANamedClass_isRefused() throws Exception {
        refused(new ObjectMessage(null, new Named()));
    }

    @Test
    void otherTypes_areRefused() throws Exception {
        refused(new LongMessage(null, 1));
        refused(new NioMessage(null, ByteBuffer.allocate(1)));
        refused(new CompositeMessage(null, new BytesMessage(null, new byte[1])));
    }

    @Test
    void messagesOfTheGroup_areRead() throws Exception {
        assertThat(read(wire(new BytesMessage(null, new byte[] {1, 2}))).getLength())
                .isEqualTo(2);
        assertThat(read(wire(new EmptyMessage())).getType()).isEqualTo(Message.EMPTY_MSG);
        SeqnoList lost = new SeqnoList(10, 5).add(7, 9);
        assertThat((Object) read(wire(new ObjectMessage(null, lost))).getObject())
                .hasToString(lost.toString());
        Digest digest = new Digest(new Address[] {UUID.randomUUID()}, new long[] {1, 2});
        assertThat((Object) read(wire(new ObjectMessage(null, digest))).getObject())
                .isEqualTo(digest);
        // STABLE sends its votes and the stable digest so.
        Digest votes = new MutableDigest(digest);
        assertThat((Object) read(wire(new ObjectMessage(null, votes))).getObject())
                .isInstanceOf(MutableDigest.class)
                .isEqualTo(votes);
        assertThat((Object) read(wire(new ObjectMessage(null, (SizeStreamable) null)))
                        .getObject())
                .isNull();
    }

    /** The launcher's second lock on the same door. */
    @ParameterizedTest
    @ValueSource(strings = {"jvm.options", "organizer.jvm.options"})
    void launcher_forbidsJavasSerialization(String options) throws Exception {
        assertThat(Files.readAllLines(Path.of("..", options))).contains("-Djdk.serialFilter=!*");
    }
}
