package dev.komainu.organizer.member;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.Address;
import org.jgroups.EmptyMessage;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.View;
import org.jgroups.ViewId;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.PingData;

/**
 * How parts of a group find each other: MERGE3, and who says what to whom in it is bounded.
 *
 * <p>Over TCP MERGE3 lets every member ask all it knows who is there, and say its view to whoever
 * is named in any of the answers. As each answer names all members ({@code return_entire_cache}),
 * that is n² messages of each member: of thirty 27,000 in 0.9 s, in peace. On hosts that cannot do
 * so much members hear each other too late, suspect each other, and every part that comes of it has
 * yet more to say.
 *
 * <p>Here only a part's coordinator asks, and says its view to other parts' coordinators, who say
 * theirs back. All others say theirs to their own coordinator, which so finds one that missed a
 * view. Who compares views are the coordinators: one of them leads the merge anyway. That is 3n
 * messages of all members together.
 *
 * <p>Who missed a view may also have missed that somebody else is the coordinator now, and would
 * say his view for ever to one who compares none. So a member passes on to its own coordinator what
 * somebody outside its view says.
 *
 * <p>On the wire it is MERGE3. JGroups makes it, by its name in the stack.
 */
public final class MergeGossip extends MERGE3 {

    /** Between two looks at what others said. */
    private static final long LOOK_MILLIS = 1_000;

    /** How long those whose views differ may take to tell them, which is once there and back. */
    private static final long ANSWER_MILLIS = 1_500;

    /**
     * Whom this coordinator answered, or whose word this member passed on, since it said its own
     * last.
     */
    private final Set<Address> told = ConcurrentHashMap.newKeySet();

    public MergeGossip() {
        setId(ClassConfigurator.getProtocolId(MERGE3.class));
        // MERGE3 waits a tenth of it for answers. With its usual second, parts further away than
        // 100 ms never became one again.
        check_interval = 10 * ANSWER_MILLIS;
    }

    @Override
    protected synchronized void startInfoSender() {
        if (info_sender_future == null || info_sender_future.isDone()) {
            info_sender_future = timer.scheduleWithDynamicInterval(new Saying(), false);
        }
    }

    @Override
    protected synchronized void startViewConsistencyChecker() {
        if (view_consistency_checker == null || view_consistency_checker.isDone()) {
            view_consistency_checker = timer.scheduleWithDynamicInterval(new Comparing());
        }
    }

    /** Called with each member that an answer names. */
    @Override
    protected void sendInfoMessage(PingData named) {
        if (is_coord && named != null && named.isCoord() && told.add(named.getAddress())) {
            super.sendInfoMessage(named);
        }
    }

    @Override
    protected void addInfo(Address sender, ViewId viewId, String name, PhysicalAddress address) {
        super.addInfo(sender, viewId, name, address);
        View own = view;
        if (own == null || own.containsMember(sender) || !told.add(sender)) {
            return;
        }
        if (is_coord) {
            say(sender);
        } else {
            Message as = new EmptyMessage(own.getCoord())
                    .putHeader(getId(), MergeHeader.createInfo(viewId, name, address))
                    .setFlag(Message.TransientFlag.DONT_BLOCK);
            down_prot.down(as.setSrc(sender));
        }
    }

    /** Two that joined by the same member at the same time may not have heard of each other. */
    private boolean lacksAddresses(View own) {
        for (Address member : own.getMembersRaw()) {
            if (down_prot.down(new Event(Event.GET_PHYSICAL_ADDRESS, member)) == null) {
                return true;
            }
        }
        return false;
    }

    private void say(Address to) {
        down_prot.down(new EmptyMessage(to)
                .putHeader(getId(), createInfo())
                .setFlag(Message.TransientFlag.DONT_BLOCK));
    }

    private final class Saying extends InfoSender {
        @Override
        public void run() {
            View own = view;
            if (own == null) {
                return;
            }
            told.clear();
            if (is_coord || lacksAddresses(own)) {
                super.run();
            }
            if (!is_coord) {
                say(own.getCoord());
            }
        }
    }

    private final class Comparing extends ViewConsistencyChecker {

        @Override
        public long nextInterval() {
            return LOOK_MILLIS;
        }

        @Override
        public void run() {
            if (is_coord) {
                super.run();
            } else {
                clearViews();
            }
        }
    }
}
