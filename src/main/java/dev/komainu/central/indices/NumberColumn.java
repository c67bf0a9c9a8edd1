package dev.komainu.central.indices;

import java.util.Arrays;

/**
 * A growing column of numbers in as few bytes as they need: most indices are small whole numbers,
 * and many never change. No value loses a digit: a number that the present form cannot hold exactly
 * changes the form of the whole column. Guarded by its owner's lock.
 *
 * <pre>
 * form        bytes   values
 * constant    0       one number for all rows
 * bytes       1       whole numbers from -127 to 127, and NaN
 * shorts      2       whole numbers from -32,767 to 32,767, and NaN
 * floats      4       numbers with at most 24 significant bits
 * doubles     8       all
 * </pre>
 */
final class NumberColumn {

    /** The form of a number that is missing, as in all rings: {@code NaN}. */
    private static final byte NO_BYTE = Byte.MIN_VALUE;

    private static final short NO_SHORT = Short.MIN_VALUE;

    private double constant;
    private boolean filled;
    private byte[] bytes = NO_BYTES;
    private short[] shorts = NO_SHORTS;
    private float[] floats = NO_FLOATS;
    private double[] doubles = NO_DOUBLES;
    private Form form = Form.CONSTANT;

    private static final byte[] NO_BYTES = {};
    private static final short[] NO_SHORTS = {};
    private static final float[] NO_FLOATS = {};
    private static final double[] NO_DOUBLES = {};

    private enum Form {
        CONSTANT,
        BYTES,
        SHORTS,
        FLOATS,
        DOUBLES
    }

    double get(int row) {
        return switch (form) {
            case CONSTANT -> constant;
            case BYTES -> bytes[row] == NO_BYTE ? Double.NaN : bytes[row];
            case SHORTS -> shorts[row] == NO_SHORT ? Double.NaN : shorts[row];
            case FLOATS -> floats[row];
            case DOUBLES -> doubles[row];
        };
    }

    /**
     * Sets the value of a row.
     *
     * @param rows number of rows for which the column needs room, more than {@code row}
     */
    void set(int row, double value, int rows) {
        if (!filled) {
            filled = true;
            constant = value;
        }
        if (form == Form.CONSTANT && isSame(constant, value)) {
            return;
        }
        Form least = least(value);
        if (form.compareTo(least) < 0) {
            change(least, rows);
        }
        switch (form) {
            case CONSTANT -> throw new IllegalStateException("a constant holds no other value");
            case BYTES -> {
                bytes = row < bytes.length ? bytes : grown(bytes, rows);
                bytes[row] = Double.isNaN(value) ? NO_BYTE : (byte) value;
            }
            case SHORTS -> {
                shorts = row < shorts.length ? shorts : grown(shorts, rows);
                shorts[row] = Double.isNaN(value) ? NO_SHORT : (short) value;
            }
            case FLOATS -> {
                floats = row < floats.length ? floats : Arrays.copyOf(floats, rows);
                floats[row] = (float) value;
            }
            case DOUBLES -> {
                doubles = row < doubles.length ? doubles : Arrays.copyOf(doubles, rows);
                doubles[row] = value;
            }
        }
    }

    private static byte[] grown(byte[] old, int rows) {
        return Arrays.copyOf(old, rows);
    }

    private static short[] grown(short[] old, int rows) {
        return Arrays.copyOf(old, rows);
    }

    /** Returns the smallest form that holds a value exactly. */
    private static Form least(double value) {
        if (Double.isNaN(value) || (isSame(value, (byte) value) && value > Byte.MIN_VALUE)) {
            return Form.BYTES;
        }
        if (isSame(value, (short) value) && value > Short.MIN_VALUE) {
            return Form.SHORTS;
        }
        return isSame(value, (float) value) ? Form.FLOATS : Form.DOUBLES;
    }

    private static boolean isSame(double one, double other) {
        return Double.doubleToLongBits(one) == Double.doubleToLongBits(other);
    }

    private void change(Form to, int rows) {
        Form least = to.compareTo(least(constant)) < 0 ? least(constant) : to;
        int held = held();
        double[] before = new double[Math.max(held, rows)];
        Arrays.fill(before, form == Form.CONSTANT ? constant : 0);
        for (int row = 0; row < held; row++) {
            before[row] = get(row);
        }
        bytes = NO_BYTES;
        shorts = NO_SHORTS;
        floats = NO_FLOATS;
        form = least;
        switch (least) {
            case BYTES -> {
                bytes = new byte[before.length];
                for (int row = 0; row < bytes.length; row++) {
                    bytes[row] = Double.isNaN(before[row]) ? NO_BYTE : (byte) before[row];
                }
            }
            case SHORTS -> {
                shorts = new short[before.length];
                for (int row = 0; row < shorts.length; row++) {
                    shorts[row] = Double.isNaN(before[row]) ? NO_SHORT : (short) before[row];
                }
            }
            case FLOATS -> {
                floats = new float[before.length];
                for (int row = 0; row < floats.length; row++) {
                    floats[row] = (float) before[row];
                }
            }
            default -> doubles = before;
        }
    }

    private int held() {
        return switch (form) {
            case CONSTANT -> 0;
            case BYTES -> bytes.length;
            case SHORTS -> shorts.length;
            case FLOATS -> floats.length;
            case DOUBLES -> doubles.length;
        };
    }
}
