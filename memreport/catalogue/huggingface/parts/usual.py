"""What transformers takes where a part of a configuration leaves a key out: published files of several parts do.

A row is a model type, then, of a language model, the fields of `COLUMNS`, `-` where the class has none, then keys.
Source: transformers 5.24, configuration classes; a test reads them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COLUMNS = (
    *("hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim"),
    *("intermediate_size", "vocab_size", "max_position_embeddings"),
)
SWITCHES = {"true": True, "false": False}
_TEXTS = """
    afmoe 2048 32 16 - 128 6144 200192 16384 num_experts=64 num_shared_experts=2 moe_intermediate_size=1408
        num_experts_per_tok=6 sliding_window=1024
    apertus 4096 32 32 - - 14336 131072 65536
    apertus1p5_text 4096 32 32 - - 14336 266752 65536
    aria_text 4096 32 32 - - 4096 32000 2048 moe_num_experts=8 moe_topk=2
    bamba 4096 32 32 8 - 14336 128000 262144
    bloom 64 - - - - - 250880 - n_layer=2 n_head=8
    cohere 8192 40 64 - - 22528 256000 8192
    cohere2 8192 40 64 - - 22528 256000 8192 sliding_window=4096
    cosmos3_edge_text 2048 28 16 8 128 9216 131072 131072
    deepseek_v2 4096 32 32 - - 11008 102400 2048 qk_nope_head_dim=128 qk_rope_head_dim=64 kv_lora_rank=512
        moe_intermediate_size=1407 n_routed_experts=64 v_head_dim=128 q_lora_rank=1536 n_shared_experts=2
    deepseek_v3 7168 61 128 128 - 18432 129280 4096 qk_nope_head_dim=128 qk_rope_head_dim=64 kv_lora_rank=512
        moe_intermediate_size=2048 n_routed_experts=256 num_experts_per_tok=8 v_head_dim=128 q_lora_rank=1536
        n_shared_experts=1 first_k_dense_replace=3
    deepseek_v32 7168 61 128 128 64 18432 129280 163840 index_head_dim=128 index_n_heads=64 qk_nope_head_dim=128
        qk_rope_head_dim=64 kv_lora_rank=512 moe_intermediate_size=2048 n_routed_experts=256 num_experts_per_tok=8
        v_head_dim=128 q_lora_rank=1536 n_shared_experts=1 first_k_dense_replace=3
    dots1 4608 62 32 32 - 10944 152064 2048 moe_intermediate_size=1408
    ernie4_5 1024 18 16 2 128 3072 103424 131072
    ernie4_5_moe 2560 28 20 4 - 12288 103424 131072 moe_intermediate_size=1536 moe_num_experts=64 moe_k=6
        moe_num_shared_experts=2
    exaone4 4096 32 32 32 - 16384 102400 2048 sliding_window=4096
    falcon 4544 32 71 - - - 65024 - num_kv_heads=71 ffn_hidden_size=18176
    falcon_h1 4096 32 32 8 - 14336 128000 8192 mamba_d_ssm=1024 mamba_rms_norm=false
    gemma 3072 28 16 16 256 24576 256000 8192
    gemma2 2304 26 8 4 256 9216 256000 8192 sliding_window=4096
    gemma3_text 2304 26 8 4 256 9216 262208 131072 sliding_window=4096
    gemma3n_text 2048 35 8 2 256 - 262400 32768 vocab_size_per_layer_input=262144
    gemma4_text 2304 30 8 4 256 9216 262144 131072
    gemma4_unified_text 2304 30 8 4 256 9216 262144 262144 sliding_window=1024
    glm 4096 40 32 2 128 13696 151552 131072 attention_bias=true
    glm4 4096 40 32 2 128 13696 151552 131072 attention_bias=true
    glm4_moe 4096 46 96 8 - 10944 151552 131072 moe_intermediate_size=1408 n_routed_experts=128
        num_experts_per_tok=8 n_shared_experts=1 first_k_dense_replace=1
    glm4_moe_lite 2048 47 20 20 - 10240 154880 202752 qk_nope_head_dim=192 qk_rope_head_dim=64 kv_lora_rank=512
        moe_intermediate_size=1536 n_routed_experts=64 num_experts_per_tok=4 v_head_dim=256 q_lora_rank=768
        n_shared_experts=1
    glm4v_moe_text 4096 46 96 8 - 10944 151424 65536 moe_intermediate_size=1408 n_routed_experts=128
        num_experts_per_tok=8 n_shared_experts=1 first_k_dense_replace=1 attention_bias=true
    glm4v_text 4096 40 32 2 - 13696 151552 32768
    glm5_next_text 4096 45 64 64 0 12288 154880 1048576 index_head_dim=128 index_n_heads=32 qk_nope_head_dim=256
        qk_rope_head_dim=0 kv_lora_rank=512 moe_intermediate_size=2048 n_routed_experts=288
        num_experts_per_tok=8 v_head_dim=256 q_lora_rank=1536 n_shared_experts=1 linear_num_heads=64
        linear_head_dim=128 index_kpool=16
    glm_moe_dsa 6144 78 64 64 64 12288 154880 202752 index_head_dim=128 index_n_heads=32 qk_nope_head_dim=192
        qk_rope_head_dim=64 kv_lora_rank=512 moe_intermediate_size=2048 n_routed_experts=256 num_experts_per_tok=8
        v_head_dim=256 q_lora_rank=2048 n_shared_experts=1 first_k_dense_replace=3
    glm_ocr_text 1024 16 16 8 - 4096 59392 131072
    gpt2 - - - - - - 50257 - n_embd=768 n_layer=12 n_head=12 n_positions=1024
    gpt_neox 6144 44 64 - - 24576 50432 2048
    gpt_oss 2880 36 64 8 64 2880 201088 131072 num_local_experts=128 num_experts_per_tok=4 sliding_window=128
    granite 4096 32 32 - - 11008 32000 2048
    granite_docling_text 1024 28 16 4 - 2048 133800 32768 tie_word_embeddings=true
    granitemoe 4096 32 32 - - 11008 32000 2048 num_local_experts=8 num_experts_per_tok=2
    granitemoehybrid 4096 32 32 - - 11008 32000 2048 num_local_experts=8 shared_intermediate_size=1024
        num_experts_per_tok=2
    granitemoeshared 4096 32 32 - - 11008 32000 2048 num_local_experts=8 num_experts_per_tok=2
    hunyuan_v1_dense 4096 32 32 - - 11008 290943 2048
    hunyuan_v1_moe 4096 32 32 - - 11008 290943 2048 num_experts=1
    hyperclovax 4096 32 32 - - 11008 32000 2048
    inkling_text 6144 66 64 8 128 24576 201024 131072 swa_num_key_value_heads=16 sliding_window_size=512
        moe_intermediate_size=3072 n_routed_experts=256 num_experts_per_tok=6 swa_head_dim=128 n_shared_experts=2
    internlm3 4096 48 32 2 128 10240 128512 32768
    jamba 4096 32 32 8 - 14336 65536 262144 mamba_dt_rank=256 expert_layer_offset=1 attn_layer_offset=4
        expert_layer_period=2 attn_layer_period=8
    kimi_linear 2304 27 32 32 - 9216 163840 1048576 qk_nope_head_dim=128 qk_rope_head_dim=64 kv_lora_rank=512
        num_local_experts=256 moe_intermediate_size=1024 num_experts_per_tok=8 v_head_dim=128
    lfm2 2560 32 32 8 - 12288 65536 128000
    lfm2_moe 2048 32 32 8 - 7168 65536 128000 num_experts=32 num_experts_per_tok=4 moe_intermediate_size=1792
        num_dense_layers=2
    lfm3 2048 24 16 4 128 7680 128000 128000 conv_L_cache=7 sliding_window=256
    llama 4096 32 32 - - 11008 32000 2048
    llama4_text 5120 48 40 8 128 8192 202048 131072 intermediate_size_mlp=16384 num_local_experts=16
        num_experts_per_tok=1 attention_chunk_size=8192
    minimax 4096 32 32 8 - 14336 32000 131072 num_local_experts=8 num_experts_per_tok=2
    minimax_m2 3072 62 48 8 128 1536 200064 196608 num_local_experts=256 num_experts_per_tok=8
    minimax_m3_vl_text 6144 60 64 4 128 3072 200064 524288 dense_intermediate_size=12288 num_local_experts=128
        num_experts_per_tok=4 shared_intermediate_size=3072
    ministral3 4096 34 32 8 128 14336 131072 262144
    mistral 4096 32 32 8 - 14336 32000 131072 sliding_window=4096
    mistral4 4096 36 32 32 - 12288 131072 1048576 qk_nope_head_dim=64 qk_rope_head_dim=64 kv_lora_rank=256
        moe_intermediate_size=2048 n_routed_experts=128 num_experts_per_tok=4 v_head_dim=128 q_lora_rank=1024
        n_shared_experts=1
    mistral_large4_text 6144 72 64 64 64 24576 204800 1048576 index_head_dim=128 index_n_heads=32
        qk_nope_head_dim=64 qk_rope_head_dim=64 kv_lora_rank=512 moe_intermediate_size=6144 n_routed_experts=128
        num_experts_per_tok=4 v_head_dim=128 n_shared_experts=1 first_k_dense_replace=1
    mixtral 4096 32 32 8 - 14336 32000 131072 num_local_experts=8 num_experts_per_tok=2
    mllama_text_model 4096 40 32 8 - 14336 128256 131072
    mpt - - - - - - 50368 - d_model=2048 n_layers=24 n_heads=16 max_seq_len=2048
    muse_glimmer_text 6656 52 32 2 128 19968 202048 131072 sliding_window=2048
    muse_spark_text 8192 62 128 16 64 16384 202048 1048576 moe_intermediate_size=4096 num_experts_per_tok=8
        moe_hidden_size=4096 num_local_experts=256 sliding_window=2048
    nemotron_h 4096 4 32 8 128 21504 131072 4096 mamba_num_heads=128 ssm_state_size=128 mamba_head_dim=64
        moe_intermediate_size=7688 moe_shared_expert_intermediate_size=7688 n_groups=8 n_routed_experts=8
        num_experts_per_tok=2
    olmo 4096 32 32 - - 11008 50304 2048
    olmo2 4096 32 32 - - 11008 50304 2048
    olmo3 4096 32 32 - - 11008 50304 2048 sliding_window=4096
    olmoe 2048 16 16 - - 2048 50304 4096 num_experts=64 num_experts_per_tok=8
    opt 768 12 12 - - - 50272 2048 ffn_dim=3072
    paddleocr_vl_text 1024 18 16 2 128 3072 103424 131072
    persimmon 4096 36 64 - - 16384 262144 16384
    phi 2048 24 32 - - 8192 51200 2048
    phi3 3072 32 32 - - 8192 32064 4096
    phimoe 4096 32 32 8 - 6400 32064 131072 num_local_experts=16 num_experts_per_tok=2
    qwen2 4096 32 32 32 - 22016 151936 32768 max_window_layers=28
    qwen2_5_vl_text 8192 80 64 8 - 29568 152064 32768 max_window_layers=80
    qwen2_moe 2048 24 16 16 - 5632 151936 32768 shared_expert_intermediate_size=5632 num_experts=60
        num_experts_per_tok=4 moe_intermediate_size=1408 max_window_layers=28
    qwen2_vl_text 8192 80 64 8 - 29568 152064 32768 max_window_layers=80
    qwen3 4096 32 32 32 128 22016 151936 32768 max_window_layers=28
    qwen3_5_moe_text 2048 40 16 2 256 - 248320 32768 moe_intermediate_size=512
        shared_expert_intermediate_size=512 linear_num_value_heads=32 linear_value_head_dim=128
        linear_num_key_heads=16 linear_key_head_dim=128 num_experts=256 num_experts_per_tok=8
    qwen3_5_text 4096 32 16 4 256 12288 248320 32768 linear_num_value_heads=32 linear_value_head_dim=128
        linear_num_key_heads=16 linear_key_head_dim=128
    qwen3_moe 2048 24 32 4 - 6144 151936 32768 num_experts=128 num_experts_per_tok=8 moe_intermediate_size=768
    qwen3_next 2048 48 16 2 256 5632 151936 32768 shared_expert_intermediate_size=512 linear_num_value_heads=32
        linear_value_head_dim=128 linear_num_key_heads=16 linear_key_head_dim=128 num_experts=512
        num_experts_per_tok=10 moe_intermediate_size=512
    qwen3_omni_moe_text 2048 28 28 4 - 18944 3584 32768 num_experts=128 num_experts_per_tok=8
        moe_intermediate_size=768
    qwen3_vl_moe_text 2048 24 16 16 - 5632 151936 128000 num_experts=60 num_experts_per_tok=4
        moe_intermediate_size=1408 tie_word_embeddings=true
    qwen3_vl_text 4096 32 32 32 128 22016 151936 128000
    seed_oss 4096 64 80 8 128 27648 155136 524288
    smollm3 2048 36 16 4 - 11008 128256 32768 tie_word_embeddings=true
    stablelm 2560 32 32 32 - 6912 50304 4096
    starcoder2 3072 30 24 2 - 12288 49152 4096
    zamba2 2560 54 32 - - 10240 32000 4096
"""
_TOWERS = """
    audioflamingo3_encoder max_source_positions=1500 d_model=1280 encoder_ffn_dim=5120 encoder_layers=32
        num_mel_bins=128
    blip_2_vision_model hidden_size=1408 patch_size=14 intermediate_size=6144 num_hidden_layers=39 image_size=224
    clip_vision_model hidden_size=768 patch_size=32 intermediate_size=3072 num_hidden_layers=12 image_size=224
    ernie4_5_vl_moe_vision hidden_size=1280 patch_size=14 intermediate_size=5120 spatial_merge_size=2 depth=32
    exaone4_5_vision hidden_size=3584 patch_size=14 out_hidden_size=3584 num_key_value_heads=8 num_heads=16
        intermediate_size=3420 depth=32
    gemma4_audio hidden_size=1024 num_attention_heads=8 output_proj_dims=1536 conv_kernel_size=5
        num_hidden_layers=12
    gemma4_vision hidden_size=768 patch_size=16 head_dim=64 num_attention_heads=12 num_key_value_heads=12
        attention_bias=false intermediate_size=3072 num_hidden_layers=16 position_embedding_size=10240
    glm4v_moe_vision hidden_size=1536 patch_size=14 out_hidden_size=4096 attention_bias=false image_size=336
        spatial_merge_size=2 intermediate_size=13696 depth=24
    glm4v_vision hidden_size=1536 patch_size=14 out_hidden_size=4096 attention_bias=false image_size=336
        spatial_merge_size=2 intermediate_size=13696 depth=24
    glm_ocr_vision hidden_size=1024 intermediate_size=4096 out_hidden_size=1536 patch_size=14 num_heads=16
        spatial_merge_size=2 depth=24
    glmasr_encoder hidden_size=1280 intermediate_size=5120 num_hidden_layers=32 num_mel_bins=128
    got_ocr2_vision image_size=1024 hidden_size=768 num_hidden_layers=12
    granite_speech_encoder hidden_dim=1024 num_heads=8 feedforward_mult=4 conv_expansion_factor=2
        max_pos_emb=512 conv_kernel_size=15 output_dim=42 input_dim=160 num_layers=10
    granite_speech_plus_encoder hidden_dim=1024 num_heads=8 feedforward_mult=4 conv_expansion_factor=2
        max_pos_emb=512 conv_kernel_size=15 output_dim=42 input_dim=160 num_layers=10
    idefics2_vision image_size=224 patch_size=32 hidden_size=768 intermediate_size=3072 num_hidden_layers=12
    idefics3_vision image_size=224 patch_size=32 hidden_size=1152 intermediate_size=3072 num_hidden_layers=12
    instructblip_vision_model hidden_size=1408 patch_size=14 intermediate_size=6144 num_hidden_layers=39 image_size=224
    internvl_vision hidden_size=1024 intermediate_size=4096 num_hidden_layers=24 use_mean_pooling=true
        use_qk_norm=false attention_bias=false image_size=448 patch_size=14
    kimi_k25_vision pos_emb_height=64 pos_emb_width=64 hidden_size=1152 patch_size=14 intermediate_size=4304
        num_hidden_layers=27
    llama4_vision_model projector_input_dim=4096 projector_output_dim=4096 intermediate_size=5632
        vision_output_dim=7680 hidden_size=768 patch_size=14 num_hidden_layers=34 image_size=448
    minicpm_ocr_vision image_size=224 patch_size=16 hidden_size=768 intermediate_size=3072 num_hidden_layers=12
    minicpmv4_6_vision image_size=224 patch_size=16 hidden_size=768 intermediate_size=3072 num_hidden_layers=12
    minicpmv4_7_vision image_size=224 patch_size=16 hidden_size=768 intermediate_size=3072 num_hidden_layers=12
    minimax_m3_vl_vision hidden_size=1280 patch_size=14 intermediate_size=5120 num_hidden_layers=32
        image_size=2016
    mllama_vision_model hidden_size=1280 patch_size=14 intermediate_size=5120 num_hidden_layers=32
        image_size=448 num_global_layers=8 max_num_tiles=4 vision_output_dim=7680
    ovis2_vision hidden_size=1024 patch_size=14 intermediate_size=2816 num_hidden_layers=24 image_size=224
        vocab_size=16384 qkv_bias=false num_visual_indicator_tokens=5 hidden_stride=1
    paddleocr_vl_vision spatial_merge_size=2 image_size=384 patch_size=14 hidden_size=1152
        intermediate_size=4304 num_hidden_layers=27
    pixtral hidden_size=1024 patch_size=16 intermediate_size=4096 num_hidden_layers=24
    pp_chart2table_vision image_size=1024 hidden_size=768 num_hidden_layers=12
    qianfan_ocr_vision hidden_size=1024 intermediate_size=4096 num_hidden_layers=24 use_mean_pooling=true
        use_qk_norm=false attention_bias=true image_size=448 patch_size=14
    qwen2_5_omni_audio_encoder d_model=1280 encoder_ffn_dim=5120 encoder_layers=32 num_mel_bins=128
        output_dim=3584
    qwen2_5_omni_vision_encoder hidden_size=3584 patch_size=14 out_hidden_size=3584 num_heads=16
        intermediate_size=3420 depth=32
    qwen2_5_vl_vision hidden_size=3584 patch_size=14 out_hidden_size=3584 num_heads=16 intermediate_size=3420
        depth=32
    qwen2_audio_encoder max_source_positions=1500 d_model=1280 encoder_ffn_dim=5120 encoder_layers=32
        num_mel_bins=128
    qwen2_vl_vision embed_dim=1280 patch_size=14 depth=32 hidden_size=3584
    qwen3_5_moe_vision hidden_size=1152 patch_size=16 out_hidden_size=3584 intermediate_size=4304 depth=27
        num_position_embeddings=2304
    qwen3_5_vision hidden_size=1152 patch_size=16 out_hidden_size=3584 intermediate_size=4304 depth=27
        num_position_embeddings=2304
    qwen3_asr_encoder d_model=1024 encoder_ffn_dim=4096 encoder_layers=24 downsample_hidden_size=480
        num_mel_bins=128 output_dim=3584
    qwen3_omni_moe_audio_encoder d_model=1280 encoder_ffn_dim=5120 encoder_layers=32 downsample_hidden_size=480
        num_mel_bins=128 output_dim=3584
    qwen3_omni_moe_vision_encoder hidden_size=1152 patch_size=16 out_hidden_size=3584 intermediate_size=4304
        depth=27 num_position_embeddings=2304
    qwen3_vl_moe_vision hidden_size=1152 patch_size=16 out_hidden_size=3584 intermediate_size=4304 depth=27
        num_position_embeddings=2304
    qwen3_vl_vision hidden_size=1152 patch_size=16 out_hidden_size=3584 intermediate_size=4304 depth=27
        num_position_embeddings=2304
    siglip2_vision_model num_patches=256 hidden_size=768 patch_size=16 intermediate_size=3072
        num_hidden_layers=12 vision_use_head=true
    siglip_vision_model hidden_size=768 patch_size=16 intermediate_size=3072 num_hidden_layers=12 image_size=224
        vision_use_head=true
    smolvlm_vision image_size=224 patch_size=32 hidden_size=1152 intermediate_size=3072 num_hidden_layers=12
    step3p5_vision hidden_size=1536 patch_size=14 intermediate_size=3072 num_hidden_layers=47 image_size=728
    video_llama_3_vision hidden_size=768 patch_size=16 intermediate_size=3072 num_hidden_layers=12
    voxtral_encoder max_source_positions=1500 d_model=1280 encoder_ffn_dim=5120 encoder_layers=32
        num_mel_bins=128
    voxtral_realtime_encoder hidden_size=1280 intermediate_size=5120 encoder_layers=32 num_attention_heads=32
        head_dim=64 num_mel_bins=128
"""


def _rows(text: str, columns: tuple[str, ...]) -> Mapping[str, Mapping[str, Any]]:
    """Rows of a text whose lines that begin further right go on with the one before."""
    lines = text.strip().replace("\n        ", " ").splitlines()
    return {words[0]: _row(words[1:], columns) for words in map(str.split, lines)}


def _row(words: list[str], columns: tuple[str, ...]) -> Mapping[str, Any]:
    named = dict(word.split("=") for word in words[len(columns) :])
    placed = {name: word for name, word in zip(columns, words, strict=False) if word != "-"}
    return {name: SWITCHES.get(word) if word in SWITCHES else int(word) for name, word in (placed | named).items()}


TEXTS_USUAL = _rows(_TEXTS, COLUMNS)
TOWERS_USUAL = _rows(_TOWERS, ())
