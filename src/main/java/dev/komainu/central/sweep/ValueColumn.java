package dev.komainu.central.sweep;

import java.util.Arrays;
import java.util.function.DoublePredicate;

/**
 * The values of one measurement over one window, by second. A value may change later: a host sample
 * arrives after the seconds that it describes, and a baseline is learnt. Each change is kept with
 * the tick that saw it first. While all values are equal, nothing is stored. Written by one thread,
 * then read by any.
 */
final class ValueColumn {

    private static final int NONE = -1;

    /** Seconds with a value: from 0 on, without gaps in their numbers. */
    private int seconds;

    private double constant = Double.NaN;
    private boolean isConstant = true;
    private double[] first = new double[0];
    private double[] newest = new double[0];
    private boolean[] known = new boolean[0];

    /** The newest change of each second; empty while there is none. */
    private int[] heads = new int[0];

    private int changes;
    private double[] changedTo = new double[0];
    private int[] changedAt = new int[0];
    private int[] before = new int[0];

    /**
     * Notes the value of a second as a tick sees it.
     *
     * @param second number of the second, from 0 on
     * @param tick number of the tick, not lower than in earlier calls
     */
    void note(int second, int tick, double value) {
        if (isConstant) {
            if (seconds == 0) {
                constant = value;
            }
            if (same(value, constant)) {
                seconds = Math.max(seconds, second + 1);
                return;
            }
            store();
        }
        grow(second + 1);
        if (!known[second]) {
            known[second] = true;
            first[second] = value;
            newest[second] = value;
        } else if (!same(newest[second], value)) {
            newest[second] = value;
            change(second, tick, value);
        }
        seconds = Math.max(seconds, second + 1);
    }

    private static boolean same(double a, double b) {
        return Double.doubleToLongBits(a) == Double.doubleToLongBits(b);
    }

    private void store() {
        isConstant = false;
        first = new double[seconds];
        newest = new double[seconds];
        known = new boolean[seconds];
        Arrays.fill(first, constant);
        Arrays.fill(newest, constant);
        Arrays.fill(known, true);
    }

    private void grow(int length) {
        if (length > first.length) {
            int room = Math.max(length, first.length * 3 / 2 + 64);
            first = Arrays.copyOf(first, room);
            newest = Arrays.copyOf(newest, room);
            known = Arrays.copyOf(known, room);
        }
    }

    private void change(int second, int tick, double value) {
        if (heads.length < first.length) {
            int old = heads.length;
            heads = Arrays.copyOf(heads, first.length);
            Arrays.fill(heads, old, heads.length, NONE);
        }
        if (changes == changedTo.length) {
            int room = changes * 3 / 2 + 16;
            changedTo = Arrays.copyOf(changedTo, room);
            changedAt = Arrays.copyOf(changedAt, room);
            before = Arrays.copyOf(before, room);
        }
        changedTo[changes] = value;
        changedAt[changes] = tick;
        before[changes] = heads[second];
        heads[second] = changes++;
    }

    /** Returns the value of a second as a tick saw it; {@code NaN} for an unknown second. */
    double at(int second, int tick) {
        if (second < 0 || second >= seconds) {
            return Double.NaN;
        }
        if (isConstant) {
            return constant;
        }
        if (!known[second]) {
            return Double.NaN;
        }
        if (second < heads.length) {
            for (int change = heads[second]; change != NONE; change = before[change]) {
                if (changedAt[change] <= tick) {
                    return changedTo[change];
                }
            }
        }
        return first[second];
    }

    /** Reports whether the second had such a value at any tick. */
    boolean ever(int second, DoublePredicate value) {
        if (second < 0 || second >= seconds) {
            return value.test(Double.NaN);
        }
        if (isConstant) {
            return value.test(constant);
        }
        if (!known[second] || value.test(first[second])) {
            return value.test(known[second] ? first[second] : Double.NaN);
        }
        if (second < heads.length) {
            for (int change = heads[second]; change != NONE; change = before[change]) {
                if (value.test(changedTo[change])) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Reports whether any second had such a value at any tick. */
    boolean ever(DoublePredicate value) {
        if (isConstant) {
            return seconds > 0 && value.test(constant);
        }
        for (int second = 0; second < seconds; second++) {
            if (ever(second, value)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of the seconds. */
    int seconds() {
        return seconds;
    }
}
