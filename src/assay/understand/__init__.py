"""understand"""
