/* One decoding step: y = W x, and the row with the largest y is the next token. Built by the server when it starts. */
enum { ROWS = 1024, COLUMNS = 1024 };

static float weights[ROWS * COLUMNS];

const char *decode_way(void) {
    return "by columns";
}

void decode_fill(unsigned seed) {
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        seed = seed * 1664525u + 1013904223u;
        weights[i] = (float)(int)(seed >> 8) / 16777216.0f - 0.5f;
    }
}

int decode_step(int token) {
    static float x[COLUMNS], y[ROWS];
    int best = 0;
    for (int c = 0; c < COLUMNS; c++)
        x[c] = (float)((unsigned)(token + 1) * (unsigned)(c + 1) * 2654435761u >> 20) / 4096.0f - 0.5f;
    for (int r = 0; r < ROWS; r++)
        y[r] = 0.0f;
    for (int c = 0; c < COLUMNS; c++)
        for (int r = 0; r < ROWS; r++)
            y[r] += weights[r * COLUMNS + c] * x[c];
    for (int r = 1; r < ROWS; r++)
        if (y[r] > y[best])
            best = r;
    return best;
}
