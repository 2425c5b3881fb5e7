"""Findings of one hand, each told freely in three ways: a sample that no bound was chosen on."""

Told = tuple[str, str, str]
ENGLISH: tuple[Told, ...] = (
    (
        "The scheduler admits at most two sequences because max-num-seqs is 2; the other six users wait until "
        "one finishes.",
        "Six of the eight users sit in the waiting queue: max-num-seqs is set to two, so only a pair is ever "
        "decoded together.",
        "Raising max-num-seqs above 2 would let all eight requests decode in one batch instead of queueing "
        "behind the first pair.",
    ),
    (
        "KV cache is stored as f16, so every decode step reads twice the bytes that q8_0 would need.",
        "Halving the KV cache to eight bits cuts the memory traffic of attention at each generated token.",
        "Attention at long context is bound by reading the cache; with q8_0 instead of f16 half as many bytes "
        "move per token.",
    ),
    (
        "The kernel dequantises each weight block once for every row of the batch instead of once per tile.",
        "Dequantisation work is repeated M times: the loop over rows sits outside the loop over blocks.",
        "Weights are unpacked anew per batch row, so cost grows linearly with M although the weights are the same.",
    ),
    (
        "Captured graphs exist for sizes 1, 2 and 4 only, therefore a batch of 8 falls back to eager launches.",
        "A batch of eight has no CUDA graph; kernel launch overhead is paid on each step in eager mode.",
        "Because no graph was captured for size 8, every layer is launched one by one from Python at that load.",
    ),
    (
        "Shared memory of 40 KiB a block leaves room for two blocks per multiprocessor; a smaller partition "
        "would allow four.",
        "Occupancy is capped at 2 blocks per SM by the 40 KiB of shared memory that each partition takes.",
        "Halving the partition would free shared memory so that four blocks are resident instead of two.",
    ),
    (
        "Threads are pinned to both hyperthreads of one core, so the two workers compete for the same units.",
        "The worker threads land on sibling hyperthreads; they share execution ports and do not run in parallel "
        "really.",
        "CPU affinity puts both threads on a single physical core, and the second core stays idle.",
    ),
    (
        "Speculative decoding drafts 8 tokens but only 1.3 are accepted on average, so most draft work is thrown away.",
        "The drafter's acceptance is low: of eight proposed tokens hardly more than one survives verification.",
        "With an acceptance of 1.3 out of 8, shortening the draft would save the time spent on rejected tokens.",
    ),
    (
        "Prefix caching is off; the shared 20K document is prefilled again for each of the eight users.",
        "Every user pays the full prefill of the same document because nothing is reused between requests.",
        "Turning on the prefix cache would compute the common 20K tokens once instead of eight times.",
    ),
    (
        "All-reduce over PCIe takes 30 % of each step; the cards have no NVLink between pairs 0-1 and 2-3.",
        "Tensor parallel communication dominates: about a third of the step is spent in NCCL over PCIe.",
        "The step waits for the ring all-reduce, which crosses PCIe since there is no NVLink bridge.",
    ),
    (
        "The model file is memory-mapped and paged in on first use, so the first requests wait for the disk.",
        "Weights are read lazily from disk by mmap; until every page was touched, decoding stalls on page faults.",
        "Page faults on the mapped GGUF slow down the beginning; locking the file in memory would avoid them.",
    ),
    (
        "Global loads of the scales are not coalesced: neighbouring threads read addresses 144 bytes apart.",
        "The scale loads have a stride of 144 bytes between lanes, which wastes most of each memory transaction.",
        "Because each lane fetches its own block header, a warp touches 32 separate sectors for the scales.",
    ),
    (
        "Sampling on the CPU sorts the whole vocabulary of 256K entries for each token.",
        "Each generated token triggers a full sort of 256K logits on the host before top-k is applied.",
        "The sampler is on the critical path: it orders all logits although only the best forty are needed.",
    ),
    (
        "ubatch-size 512 cuts a prompt of 2,000 tokens into four passes over the weights.",
        "With micro batches of 512 tokens the weights are streamed four times for one 2K prompt.",
        "A larger ubatch would process the whole prompt in a single pass rather than in 4 pieces.",
    ),
    (
        "Flash attention is disabled, so the score matrix is written to memory and read back.",
        "Without flash attention the intermediate scores make a round trip through DRAM at every layer.",
        "Enabling the fused attention kernel avoids materialising the attention matrix.",
    ),
    (
        "The reduction uses one atomicAdd per thread on a single address, which serialises the warp.",
        "All threads of a block add atomically to the same accumulator; the adds are executed one after another.",
        "A warp shuffle reduction before a single atomic would remove the contention on that address.",
    ),
    (
        "Logging at debug level formats a line for every token and flushes it to disk.",
        "Each token writes a debug line synchronously; the event loop waits for the file system.",
        "Lowering the log level would take the per-token flush out of the streaming path.",
    ),
)
CHINESE: tuple[Told, ...] = (
    (
        "連續批次的上限是兩個序列，其餘六位使用者要在佇列裡等前面的人結束。",
        "max-num-seqs 只設成 2，所以同時解碼的只有兩個請求，其他人都在排隊。",
        "把批次上限調高就能讓八個請求一起解碼，不必輪流等待。",
    ),
    (
        "KV 快取用 f16 儲存，每個解碼步要讀的位元組是 q8_0 的兩倍。",
        "注意力在長上下文時受限於讀取快取；改成八位元可以少搬一半的資料。",
        "快取若量化為 q8_0，每產生一個字元的記憶體流量就減半。",
    ),
    (
        "沒有為批次 8 擷取 CUDA graph，因此每一層都要由 Python 逐一啟動核心。",
        "批次大小為八時退回 eager 模式，每一步都付出啟動核心的額外時間。",
        "圖只擷取了 1、2、4 三種大小，八人同時使用時沒有圖可用。",
    ),
    (
        "推測解碼一次草擬八個字元，平均只接受一個多，大部分的草稿都浪費了。",
        "草稿模型的接受率太低：八個提案裡通常只有一個通過驗證。",
        "縮短草稿長度可以省下被拒絕的字元所花的時間。",
    ),
    (
        "前綴快取沒有開啟，八位使用者共用的文件被重複預填了八次。",
        "同一份文件每個請求都重新預填，請求之間沒有任何重用。",
        "打開前綴快取之後，共同的兩萬個字元只需要計算一次。",
    ),
    (
        "兩個執行緒被綁在同一個實體核心的兩個超執行緒上，互相搶執行單元。",
        "CPU 親和性設定讓兩個工作執行緒落在同一顆核心，另一顆核心閒置。",
        "執行緒分到相鄰的超執行緒，實際上並沒有真正平行。",
    ),
    (
        "ubatch 為 512，兩千字元的提示要分四次通過全部權重。",
        "微批次只有 512，因此一個 2K 的提示會讓權重被讀取四遍。",
        "把微批次加大，整個提示一次就能處理完，不必切成四段。",
    ),
    (
        "每個區塊用掉 40 KiB 共享記憶體，所以一個多處理器只能放兩個區塊。",
        "佔用率受共享記憶體限制：分割太大，每個 SM 只有兩個區塊常駐。",
        "把分割縮小一半，共享記憶體就夠讓四個區塊同時執行。",
    ),
)
