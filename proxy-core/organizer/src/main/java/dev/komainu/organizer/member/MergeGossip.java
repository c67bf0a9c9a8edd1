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
 * The discovery of other parts of a split group: MERGE3 with a limit on its messages.
 *
 * <p>Over TCP MERGE3 lets every member ask all known addresses for members, and send its view to
 * each member named in an answer. As each answer names all members ({@code return_entire_cache}),
 * each member sends n² messages: thirty members send 27,000 in 0.9 s, without any fault. On hosts
 * that cannot handle so many, messages come too late, members suspect each other, and every part
 * that results sends yet more.
 *
 * <p>Here only a part's coordinator asks, and sends its view to other parts' coordinators, which
 * send theirs back. All other members send theirs to their own coordinator, which so detects one
 * that missed a view. The coordinators compare views: one of them leads the merge anyway. All
 * members together send 3n messages.
 *
 * <p>A member that missed a view may also have missed that the coordinator has changed, and would
 * send its view for ever to a member that compares none. So a member forwards to its own
 * coordinator what a member outside its view sends.
 *
 * <p>On the wire this is MERGE3. JGroups creates it by its name in the stack.
 */
public final class MergeGossip extends MERGE3 {

    /** Interval between comparisons of the received views. */
    private static final long COMPARE_MILLIS = 1_000;

    /** Time in which members with different views may answer: one round trip. */
    private static final long ANSWER_MILLIS = 1_500;

    /**
     * Members that this coordinator answered, or whose view this member forwarded, since it last
     * sent its own view.
     */
    private final Set<Address> answered = ConcurrentHashMap.newKeySet();

    public MergeGossip() {
        setId(ClassConfigurator.getProtocolId(MERGE3.class));
        // MERGE3 waits a tenth of this interval for answers. With its default of a second, parts
        // further away than 100 ms were never merged.
        check_interval = 10 * ANSWER_MILLIS;
    }

    @Override
    protected synchronized void startInfoSender() {
        if (info_sender_future == null || info_sender_future.isDone()) {
            info_sender_future = timer.scheduleWithDynamicInterval(new ViewSender(), false);
        }
    }

    @Override
    protected synchronized void startViewConsistencyChecker() {
        if (view_consistency_checker == null || view_consistency_checker.isDone()) {
            view_consistency_checker = timer.scheduleWithDynamicInterval(new ViewComparison());
        }
    }

    /** Sends this member's view to a coordinator that an answer names. */
    @Override
    protected void sendInfoMessage(PingData named) {
        if (is_coord && named != null && named.isCoord() && answered.add(named.getAddress())) {
            super.sendInfoMessage(named);
        }
    }

    @Override
    protected void addInfo(Address sender, ViewId viewId, String name, PhysicalAddress address) {
        super.addInfo(sender, viewId, name, address);
        View own = view;
        if (own == null || own.containsMember(sender) || !answered.add(sender)) {
            return;
        }
        if (is_coord) {
            sendView(sender);
        } else {
            Message forwarded = new EmptyMessage(own.getCoord())
                    .putHeader(getId(), MergeHeader.createInfo(viewId, name, address))
                    .setFlag(Message.TransientFlag.DONT_BLOCK);
            down_prot.down(forwarded.setSrc(sender));
        }
    }

    /**
     * Returns whether an address is missing: two members that joined by the same member at the same
     * time may not know each other.
     */
    private boolean lacksAddresses(View own) {
        for (Address member : own.getMembersRaw()) {
            if (down_prot.down(new Event(Event.GET_PHYSICAL_ADDRESS, member)) == null) {
                return true;
            }
        }
        return false;
    }

    private void sendView(Address to) {
        down_prot.down(new EmptyMessage(to)
                .putHeader(getId(), createInfo())
                .setFlag(Message.TransientFlag.DONT_BLOCK));
    }

    private final class ViewSender extends InfoSender {
        @Override
        public void run() {
            View own = view;
            if (own == null) {
                return;
            }
            answered.clear();
            if (is_coord || lacksAddresses(own)) {
                super.run();
            }
            if (!is_coord) {
                sendView(own.getCoord());
            }
        }
    }

    private final class ViewComparison extends ViewConsistencyChecker {

        @Override
        public long nextInterval() {
            return COMPARE_MILLIS;
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
