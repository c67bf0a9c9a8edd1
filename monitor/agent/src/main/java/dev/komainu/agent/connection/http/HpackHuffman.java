package dev.komainu.agent.connection.http;

/**
 * The Huffman code of header texts (RFC 7541 Appendix B). It is canonical: codes of one length
 * follow each other in the order of their symbols, so the lengths alone define it.
 */
final class HpackHuffman {

    /** Broken code, or no room. */
    static final int BROKEN = -1;

    /**
     * Length of each symbol's code, 'A' for 5 bits to 'Z' for 30; the last is the end of string.
     */
    private static final String LENGTHS =
            "ISXXXXXXXTZXXZXXXXXXXXZXXXXXXXXXBFFHIBDGFFDGDBBBAAABBBBBBBCDKBHFIBCCCCCCCCCCCCC"
                    + "CCCCCCCCCDCDIOIJBKABABABBBACCBBBABCBAABCCCCCKGJIXPRPPRRRSRSSSSSTSTTRSTSSSSQRSRSSTRQPRRSSQSRRTQRSSQQRQSRSSP"
                    + "RRRSRRSVVPORSRUVVVWWVTUOQVWWVWTQQVVXWWWPTPQRQQSRRUUTTVSVWVVWWWWWXWWWWWVZ";

    private static final int SHORTEST = 5;
    private static final int LONGEST = 30;
    private static final int END = 256;
    private static final int MOST_PADDING = 7;

    private static final int[] FIRST_CODE = new int[LONGEST + 2];
    private static final int[] FIRST_SYMBOL = new int[LONGEST + 2];
    private static final int[] SYMBOLS = new int[END + 1];

    static {
        int symbols = 0;
        int code = 0;
        for (int bits = SHORTEST; bits <= LONGEST; bits++) {
            FIRST_CODE[bits] = code;
            FIRST_SYMBOL[bits] = symbols;
            for (int symbol = 0; symbol <= END; symbol++) {
                if (LENGTHS.charAt(symbol) - 'A' + SHORTEST == bits) {
                    SYMBOLS[symbols++] = symbol;
                    code++;
                }
            }
            code <<= 1;
        }
        FIRST_SYMBOL[LONGEST + 1] = symbols;
    }

    private HpackHuffman() {}

    /** Decodes {@code length} bytes; returns the number of decoded bytes, or {@link #BROKEN}. */
    static int decode(byte[] from, int at, int length, byte[] to) {
        int code = 0;
        int bits = 0;
        int written = 0;
        for (int i = at; i < at + length; i++) {
            for (int bit = 7; bit >= 0; bit--) {
                code = code << 1 | (from[i] >> bit & 1);
                bits++;
                if (bits < SHORTEST) {
                    continue;
                }
                if (bits > LONGEST) {
                    return BROKEN;
                }
                int index = code - FIRST_CODE[bits];
                if (index >= 0 && index < FIRST_SYMBOL[bits + 1] - FIRST_SYMBOL[bits]) {
                    int symbol = SYMBOLS[FIRST_SYMBOL[bits] + index];
                    if (symbol == END || written == to.length) {
                        return BROKEN;
                    }
                    to[written++] = (byte) symbol;
                    code = 0;
                    bits = 0;
                }
            }
        }
        return bits <= MOST_PADDING && code == (1 << bits) - 1 ? written : BROKEN;
    }
}
